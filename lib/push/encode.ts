import { type ServerFrame, socketLimits } from './frames.ts';
import type { News } from './news.ts';

/** An encoded frame, which is sent to any number of clients. */
export type EncodedFrame = Buffer;

export const encode = (frame: ServerFrame): EncodedFrame => Buffer.from(JSON.stringify(frame));

/** A frame with the position of a room, without events. */
export const encodeSignal = (room: string, epoch: string, seq: number): EncodedFrame =>
  encode({ type: 'room', room: { $oid: room }, epoch, seq });

/**
 * Encodes news in frames of the largest size. A larger single event becomes a frame without events.
 */
export function framesOf(
  room: string,
  position: number,
  { events, next, epoch }: Pick<News, 'events' | 'next' | 'epoch'>,
): EncodedFrame[] {
  const frames: EncodedFrame[] = [];
  let after = position;
  let rest = events;
  while (rest.length > 0) {
    let count = 0;
    for (let size = 0; count < rest.length; count++) {
      size += Buffer.byteLength(JSON.stringify(rest[count])) + 1;
      if (size > socketLimits.events) break;
    }
    const some = rest.slice(0, Math.max(1, count));
    rest = rest.slice(some.length);
    const seq = rest.length === 0 ? next : (some.at(-1)?.seq ?? next);
    const inline = count > 0 && { after, events: some };
    frames.push(encode({ type: 'room', room: { $oid: room }, epoch, ...inline, seq }));
    after = seq;
  }
  if (frames.length > 0) return frames;
  return [encode({ type: 'room', room: { $oid: room }, epoch, after: position, seq: next, events: [] })];
}
