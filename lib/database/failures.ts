import { MongoDriverError, MongoNetworkError, MongoServerError, MongoServerSelectionError } from 'mongodb';

/**
 * Returns true if the database is unreachable, too slow or cannot write to its disk; false if the
 * call itself was wrong.
 */
export function isDatabaseUnavailable(error: unknown): boolean {
  if (isSocketError(error)) return true;
  if (error instanceof MongoServerSelectionError || error instanceof MongoNetworkError) return true;
  if (error instanceof MongoDriverError && unavailableNames.has(error.name)) return true;
  return (
    error instanceof MongoServerError && (unavailableCodes.has(Number(error.code)) || error.hasErrorLabel('RetryableWriteError'))
  );
}

/** Returns true if the database does not know a command, such as those of the embedded database. */
export const isUnknownCommand = (error: unknown): boolean => error instanceof MongoServerError && error.code === 59;

/** Returns true if the database found damage in its file. */
export const isDamagedDatabase = (error: unknown): boolean => error instanceof MongoServerError && error.code === 366;

/**
 * The reason why a call failed, as a sentence and as a word for metrics. `isLasting` if retries
 * will fail too.
 */
type Unavailability = { description: string; reason: string; isLasting: boolean };

/** The reason why the database is unavailable; undefined if the error has another cause. */
export function whyUnavailable(error: unknown): Unavailability | undefined {
  const lasting = error instanceof MongoServerError ? lastingFailures[Number(error.code)] : undefined;
  if (lasting) return { ...lasting, isLasting: true };
  if (!isDatabaseUnavailable(error)) return undefined;
  return { description: 'The database did not answer in time.', reason: 'database_unavailable', isLasting: false };
}

const lastingFailures: Partial<Record<number, { description: string; reason: string }>> = {
  14031: {
    description: 'The disk of the database is full: nothing can be written until there is space.',
    reason: 'disk_full',
  },
  39: {
    description: 'The disk of the database failed: nothing can be written until the service is restarted.',
    reason: 'disk_failed',
  },
  366: { description: 'The file of the database is damaged where this is stored.', reason: 'database_damaged' },
};

/** Returns true if a write was refused because its key exists in a unique index. */
export function isDuplicateKey(error: unknown): error is MongoServerError {
  return error instanceof MongoServerError && error.code === 11_000;
}

/**
 * The name of the unique index that refused a write; undefined for any other failure. It is parsed
 * from the message, because `keyPattern` may be missing.
 */
export function duplicateIn(error: unknown): string | undefined {
  return isDuplicateKey(error) ? / index: (.+?) (?:collation: .+? )?dup key: /.exec(error.message)?.[1] : undefined;
}

// A socket that closed just before the driver wrote to it: the driver rethrows the system's error.
const isSocketError = (error: unknown) =>
  error instanceof Error &&
  'code' in error &&
  ['EPIPE', 'ECONNRESET', 'ERR_STREAM_DESTROYED', 'ERR_STREAM_WRITE_AFTER_END'].includes(String(error.code));

// The pool is full or was cleared, or the first connection failed while others waited for it. The
// driver does not export all of these classes.
const unavailableNames = new Set([
  'MongoWaitQueueTimeoutError',
  'MongoPoolClosedError',
  'MongoServerClosedError',
  'MongoTopologyClosedError',
  'MongoNotConnectedError',
  'MongoClientClosedError',
]);

// FileStreamFailed, MaxTimeMSExpired, ShutdownInProgress, NotWritablePrimary, Interrupted...,
// PrimarySteppedDown, ExceededTimeLimit, NotPrimary..., OutOfDiskSpace
const unavailableCodes = new Set([39, 50, 91, 189, 262, 10_107, 11_600, 11_602, 13_435, 13_436, 14_031]);
