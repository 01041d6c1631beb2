import middy from '@middy/core';
import type { Context } from 'aws-lambda';
import { withDeadline } from '../lib/deadline.ts';
import { type SweepResult, sweepFiles } from '../lib/files/removal.ts';
import { logFailure } from '../lib/http/log-failure.ts';
import { log } from '../lib/log.ts';

/** After how many milliseconds nothing further is begun, and after how many it has failed: Lambda ends it after 20 seconds. */
const enough = 12_000;
const longest = 18_000;

/** Removes the files that no message has; a schedule invokes it. What it has no time for is left to the next time. */
export const handler = middy<unknown, SweepResult, Error, Context>({ timeoutEarlyInMillis: 0 })
  .use(logFailure('files were not swept'))
  .handler(async () => {
    const begun = performance.now();
    const swept = await withDeadline(begun + longest, () => sweepFiles({ isThorough: true, until: begun + enough }));
    log('info', 'files swept', swept);
    return swept;
  });
