import { gone, type Refusal } from '../base/errors.ts';
import { currentEpoch, epochPattern, isCurrentEpoch } from '../database/epoch.ts';
import { dateTime, type Parameter } from './parameters.ts';
import { eitherOf } from './schema.ts';

/** A place in the feed of a room, and the epoch in which it counts; one that does not say its epoch is of the first. */
type FeedCursor = { epoch: string | undefined; seq: number };

/** The time since when rooms moved, and the epoch in which it was told; a time of the caller's own is of none. */
type SinceCursor = { epoch: string | undefined; at: Date };

const written = new RegExp(`^(?:(${epochPattern})\\.)?(\\d{1,15})$`);

/** A cursor as it is sent: what `writeCursor` has made, or a bare `seq`. */
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

/** A time as it is sent: what `writeCursor` has made of its milliseconds since 1970, or a time of the caller's own. */
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

/** The cursor that a client sends to go on after a place, or a time. */
export const writeCursor = (epoch: string, at: number): string => `${epoch}.${at}`;

/** The header that says where a feed continues. */
export const nextCursor = {
  type: 'string',
  pattern: `^${epochPattern}\\.\\d+$`,
  description: 'The cursor to send as `after` to continue from here.',
};

/** The one answer to whatever counts in another epoch: its reader starts over. */
export const historyReplaced: Refusal = () =>
  gone('history_replaced', 'The history was replaced, as by a restored backup: start over without a cursor.');

/** The present epoch, for a reader who comes with this cursor: 410 if it counts in another. The beginning is the same in all. */
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
