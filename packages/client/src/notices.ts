import type { ActivityFrame, ChunkFrame, PersonFrame, PresenceFrame, ReadFrame, ServerFrame, TypingNotice } from './contract.ts';

/** News that are not in the feed of a room. */
export type Notice = TypingNotice | ActivityFrame | ChunkFrame | ReadFrame | PresenceFrame | PersonFrame;

export const isNotice = (frame: ServerFrame): frame is Notice =>
  ['typing', 'activity', 'chunk', 'read', 'presence', 'person'].includes(frame.type);

/** The most notices that wait for the iterator. */
const mostNotices = 100;

/**
 * Adds a notice to those that wait for the iterator. If there are too many, drops the oldest. The
 * chunks of a text become one, so that a slow iterator still gets the latest text.
 */
export function addNotice(waiting: Notice[], notice: Notice): void {
  waiting.push(notice.type === 'chunk' ? joined(takeChunk(waiting, notice), notice) : notice);
  if (waiting.length > mostNotices) waiting.shift();
}

function takeChunk(waiting: Notice[], { message }: ChunkFrame): ChunkFrame | undefined {
  const isEarlier = (one: Notice) => one.type === 'chunk' && one.message.$oid === message.$oid;
  const place = waiting.findIndex(isEarlier);
  return place === -1 ? undefined : (waiting.splice(place, 1)[0] as ChunkFrame);
}

/** Both chunks as one; the later one if there is a gap between them. */
function joined(earlier: ChunkFrame | undefined, later: ChunkFrame): ChunkFrame {
  if (!earlier) return later;
  const characters = [...earlier.text];
  const place = later.at - earlier.at;
  if (place < 0 || place > characters.length) return later;
  return { ...later, at: earlier.at, text: characters.slice(0, place).join('') + later.text };
}
