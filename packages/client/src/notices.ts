import { joinParts } from './chunks.ts';
import type { ActivityFrame, ChunkFrame, PersonFrame, PresenceFrame, ReadFrame, ServerFrame, TypingNotice } from './contract.ts';

/** News that are not in the feed of a room. */
export type Notice = TypingNotice | ActivityFrame | ChunkFrame | ReadFrame | PresenceFrame | PersonFrame;

export const isNotice = (frame: ServerFrame): frame is Notice =>
  ['typing', 'activity', 'chunk', 'read', 'presence', 'person'].includes(frame.type);

/** The most notices that wait for the iterator. */
const mostNotices = 100;

/**
 * Adds a notice to those that wait for the iterator. If there are too many, drops the oldest one
 * that is out of date soon, or else the oldest. The chunks of a text become one, so that a slow
 * iterator still gets the latest text. The `read` notices of a room become one as well, because
 * each has only the changes since the one before.
 */
export function addNotice(waiting: Notice[], notice: Notice): void {
  if (notice.type === 'chunk') {
    waiting.push(
      joined(
        take(waiting, notice, ({ message }) => message.$oid === notice.message.$oid),
        notice,
      ),
    );
  } else if (notice.type === 'read') {
    waiting.push({ ...take(waiting, notice, ({ room }) => room.$oid === notice.room.$oid), ...notice });
  } else waiting.push(notice);
  if (waiting.length > mostNotices) waiting.splice(Math.max(0, waiting.findIndex(isShortLived)), 1);
}

const isShortLived = ({ type }: Notice): boolean => type === 'typing' || type === 'activity';

/** Removes the waiting notice of the same kind about the same subject, and returns it. */
function take<T extends Notice>(waiting: Notice[], { type }: T, isSame: (one: T) => boolean): T | undefined {
  const place = waiting.findIndex((one) => one.type === type && isSame(one as T));
  return place === -1 ? undefined : (waiting.splice(place, 1)[0] as T);
}

/** Both chunks as one; the later one if there is a gap between them. */
function joined(earlier: ChunkFrame | undefined, later: ChunkFrame): ChunkFrame {
  const text = earlier && joinParts(earlier, later);
  return text === undefined ? later : { ...later, at: earlier?.at ?? 0, text };
}
