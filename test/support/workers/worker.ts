import { client, database } from '../../../lib/database/client.ts';
import { HttpError } from '../../../lib/errors.ts';

/** Does `work` on whatever the parent process sends, and answers it, until the parent lets go. */
export async function serveParent<Input, Result>(work: (input: Input) => Promise<Result>): Promise<void> {
  // Connected before the race begins, as functions are that serve for a while.
  await Promise.all(Array.from({ length: 5 }, () => database.command({ ping: 1 })));
  process.on('message', async (input: Input) => process.send?.(await work(input)));
  process.on('disconnect', () => client.close());
  process.send?.('ready');
}

/** The HTTP status that something has come to: 200, or that of its refusal. */
export async function statusOf(work: Promise<unknown>): Promise<number> {
  try {
    await work;
    return 200;
  } catch (error) {
    if (error instanceof HttpError) return error.status;
    throw error;
  }
}
