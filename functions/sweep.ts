import middy from '@middy/core';
import type { Context } from 'aws-lambda';
import { withDeadline } from '../lib/deadline.ts';
import { type SweepResult, sweepFiles } from '../lib/files/removal.ts';
import { logFailure } from '../lib/http/log-failure.ts';
import { log } from '../lib/log.ts';
import { sweepMessages } from '../lib/messages/retention.ts';

/** After how many milliseconds the sweep of files ends, that of messages ends, and it has failed: Lambda ends it after 20 seconds. */
const enoughFiles = 6_000;
const enough = 12_000;
const longest = 18_000;

/** Removes the files that no message has, and deletes the messages that are too old; a schedule invokes it. What it has no time for is left to the next time. */
export const handler = middy<unknown, SweepResult & { messages: number }, Error, Context>({ timeoutEarlyInMillis: 0 })
  .use(logFailure('files or messages were not swept'))
  .handler(async () => {
    const begun = performance.now();
    return withDeadline(begun + longest, async () => {
      const files = await sweepFiles({ isThorough: true, until: begun + enoughFiles });
      const swept = { ...files, messages: await sweepMessages({ until: begun + enough }) };
      log('info', 'swept', swept);
      return swept;
    });
  });
