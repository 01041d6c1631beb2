import type { Notice } from '../notices/notices.ts';
import { type ServerFrame, socketLimits } from './frames.ts';
import type { News } from './news.ts';

/** A frame as it is sent to however many. */
export type EncodedFrame = Buffer;

export const encode = (frame: ServerFrame): EncodedFrame => Buffer.from(JSON.stringify(frame));

/** How far a room is, without its events. */
export const encodeSignal = (room: string, epoch: string, seq: number): EncodedFrame =>
  encode({ type: 'room', room: { $oid: room }, epoch, seq });

/** The frames of some news, each as large as one may be; an event that is larger by itself becomes one without events. */
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

/** The frame that tells a user's devices what one of them has read of a thread. */
export const encodeThread = ({ type, room, thread, seq, is_followed }: Notice & { type: 'thread' }): EncodedFrame =>
  encode({ type, room: { $oid: room }, thread: { $oid: thread }, last_read: seq, is_followed });

/** The frame that tells a user's devices what one of them has changed in the user's own part of a room. */
export const encodeRead = ({ room, user, seq, ...rest }: Notice & { type: 'read' }): EncodedFrame =>
  encode({ ...rest, room: { $oid: room }, last_read: seq });

/** The frame that tells a user's devices that one of them has saved a message, or changed its reminder. */
export const encodeSaved = ({ type, message, is_saved }: Notice & { type: 'saved' }): EncodedFrame =>
  encode({ type, message: { $oid: message }, is_saved });

/** The frame that has a user's devices read the list of notifications again. */
export const encodeNotifications = (): EncodedFrame => encode({ type: 'notifications' });
