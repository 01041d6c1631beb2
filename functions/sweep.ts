import middy from '@middy/core';
import type { Context } from 'aws-lambda';
import { sweepAudit } from '../lib/audit/sweep.ts';
import { withDeadline } from '../lib/base/deadline.ts';
import { log } from '../lib/base/log.ts';
import { type SweepResult, sweepFiles } from '../lib/files/removal.ts';
import { logFailure } from '../lib/http/log-failure.ts';
import { sweepMessages } from '../lib/messages/retention.ts';

/** After how many milliseconds the sweep of files ends, that of messages, that of the audit trail, and it has failed: Lambda ends it after 20 seconds. */
const enoughFiles = 6_000;
const enough = 12_000;
const enoughInAll = 14_000;
const longest = 18_000;

/** Removes the files that no message has, deletes the messages that are too old and cuts the audit trail off; a schedule invokes it. What it has no time for is left to the next time. */
export const handler = middy<unknown, SweepResult & { messages: number; entries: number }, Error, Context>({
  timeoutEarlyInMillis: 0,
})
  .use(logFailure('files, messages or the audit trail were not swept'))
  .handler(async () => {
    const begun = performance.now();
    return withDeadline(begun + longest, async () => {
      const files = await sweepFiles({ isThorough: true, until: begun + enoughFiles });
      const messages = await sweepMessages({ until: begun + enough });
      const swept = { ...files, messages, entries: await sweepAudit({ until: begun + enoughInAll }) };
      log('info', 'swept', swept);
      return swept;
    });
  });
