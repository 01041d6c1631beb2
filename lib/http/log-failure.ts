import type { Request } from '@middy/core';
import type { Context } from 'aws-lambda';
import { describeError, log } from '../base/log.ts';

/** Logs the failure of a function that no request waits for, with the message `what`. */
export const logFailure = (what: string) => ({
  onError: ({ error, context }: Request<unknown, unknown, Error, Context>): void =>
    log('error', what, { request_id: context.awsRequestId, error: describeError(error) }),
});
