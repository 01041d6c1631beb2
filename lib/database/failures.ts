import { MongoDriverError, MongoNetworkError, MongoServerError, MongoServerSelectionError } from 'mongodb';

/**
 * Whether an error says that the database is out of reach, too slow or without a disk that takes writes, rather than
 * that a call was wrong.
 */
export function isDatabaseUnavailable(error: unknown): boolean {
  if (isSocketError(error)) return true;
  if (error instanceof MongoServerSelectionError || error instanceof MongoNetworkError) return true;
  if (error instanceof MongoDriverError && unavailableNames.has(error.name)) return true;
  return (
    error instanceof MongoServerError && (unavailableCodes.has(Number(error.code)) || error.hasErrorLabel('RetryableWriteError'))
  );
}

/** Whether a database does not know a command, as others than the embedded one don't know what is its own. */
export const isUnknownCommand = (error: unknown): boolean => error instanceof MongoServerError && error.code === 59;

/** Whether the database found its file damaged. */
export const isDamagedDatabase = (error: unknown): boolean => error instanceof MongoServerError && error.code === 366;

/** Why a call got no answer from the database, as a sentence and as a word for metrics; `isLasting`: the next calls will not either. */
type Unavailability = { description: string; reason: string; isLasting: boolean };

/** Whether, and why, an error says that the database is unavailable. */
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

/** Whether a write was refused because a unique index already holds its key. */
export function isDuplicateKey(error: unknown): error is MongoServerError {
  return error instanceof MongoServerError && error.code === 11_000;
}

/**
 * The name of the unique index that refused a write; undefined for every other failure. The message always has it,
 * `keyPattern` may be missing.
 */
export function duplicateIn(error: unknown): string | undefined {
  return isDuplicateKey(error) ? / index: (.+?) (?:collation: .+? )?dup key: /.exec(error.message)?.[1] : undefined;
}

// A socket that ended just before the driver wrote to it: the driver passes the system's error on as it is.
const isSocketError = (error: unknown) =>
  error instanceof Error &&
  'code' in error &&
  ['EPIPE', 'ECONNRESET', 'ERR_STREAM_DESTROYED', 'ERR_STREAM_WRITE_AFTER_END'].includes(String(error.code));

// A pool is full or was cleared, or the first connection failed while others waited for it. The driver does not
// export all of these classes.
const unavailableNames = new Set([
  'MongoWaitQueueTimeoutError',
  'MongoPoolClosedError',
  'MongoServerClosedError',
  'MongoTopologyClosedError',
  'MongoNotConnectedError',
  'MongoClientClosedError',
]);

// FileStreamFailed, MaxTimeMSExpired, ShutdownInProgress, NotWritablePrimary, Interrupted..., PrimarySteppedDown,
// ExceededTimeLimit, NotPrimary..., OutOfDiskSpace
const unavailableCodes = new Set([39, 50, 91, 189, 262, 10_107, 11_600, 11_602, 13_435, 13_436, 14_031]);
