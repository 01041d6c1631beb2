import { gone, type Refusal } from '../base/errors.ts';
import { currentEpoch, epochPattern, isCurrentEpoch } from '../database/epoch.ts';
import { dateTime, type Parameter } from './parameters.ts';
import { eitherOf } from './schema.ts';

/**
 * A position in the feed of a room, and its epoch. A cursor without an epoch belongs to the first
 * one.
 */
type FeedCursor = { epoch: string | undefined; seq: number };

/**
 * The time since which rooms must have had activity, and its epoch. A time that the caller chose
 * lacks an epoch.
 */
type SinceCursor = { epoch: string | undefined; at: Date };

const written = new RegExp(`^(?:(${epochPattern})\\.)?(\\d{1,15})$`);

/** A cursor in a request: from `writeCursor`, or a bare `seq`. */
export const feedCursor: Parameter<FeedCursor> = {
  read: (sent) => {
    const [, epoch, digits] = written.exec(String(sent)) ?? [];
    const seq = Number(digits);
    return Number.isSafeInteger(seq) ? { epoch, seq } : undefined;
  },
  about:
    'Return events after this cursor, the `X-Next-Cursor` of the last answer. Without it, get no events, only the current cursor. 0 is the beginning. After a restore of the database, older cursors are refused (410, `history_replaced`): start again without one. A bare `seq` works until then.',
  rule: "be an 'X-Next-Cursor', or a 'seq'",
  schema: { type: 'string', pattern: written.source },
};

const writtenTime = new RegExp(`^(${epochPattern})\\.(\\d{1,13})$`);

/**
 * A time in a request: a cursor from `writeCursor`, in milliseconds since 1970, or the caller's own
 * time.
 */
export const sinceCursor: Parameter<SinceCursor> = {
  read: (sent) => {
    const [, epoch, milliseconds] = writtenTime.exec(String(sent)) ?? [];
    if (milliseconds !== undefined) return { epoch, at: new Date(Number(milliseconds)) };
    const at = dateTime.read(sent);
    return at && { epoch: undefined, at };
  },
  about:
    'Return only rooms with activity since this time, or since the `X-Next-Cursor` of an earlier answer. After a restore of the database, older cursors are refused (410, `history_replaced`): start again without one.',
  rule: `${dateTime.rule}, or an 'X-Next-Cursor'`,
  schema: eitherOf(dateTime.schema, { type: 'string', pattern: writtenTime.source }),
};

/** The cursor that a client sends to continue after a `seq` or a time. */
export const writeCursor = (epoch: string, at: number): string => `${epoch}.${at}`;

/** The header with the cursor that continues a feed. */
export const nextCursor = {
  type: 'string',
  pattern: `^${epochPattern}\\.\\d+$`,
  description: 'The cursor to send as `after` to continue from here.',
};

/** The answer to every cursor of another epoch: the client must start over. */
export const historyReplaced: Refusal = () =>
  gone('history_replaced', 'The history was replaced, as by a restored backup: start over without a cursor.');

/** The current epoch; 410 if the cursor belongs to another. Position 0 is valid in every epoch. */
export async function requireEpochOf(cursor: FeedCursor | SinceCursor | undefined): Promise<string> {
  const { id, isFirst } = await currentEpoch();
  if (!cursor) return id;
  if (cursor.epoch === undefined) {
    if (isFirst || 'at' in cursor || cursor.seq === 0) return id;
    throw historyReplaced();
  }
  if (cursor.epoch !== id && !(await isCurrentEpoch(cursor.epoch))) throw historyReplaced();
  return cursor.epoch;
}
