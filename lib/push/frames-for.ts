import type { Notice } from '../notices/notices.ts';
import type { ServerFrame } from './frames.ts';

/**
 * How a notice reaches connected clients. If it contains everything that they need, `frame` is
 * ready; otherwise the host reads the rest. Ids are in hexadecimal.
 */
export type Dispatch =
  /** All devices of a user. */
  | { to: 'user'; user: string; frame: ServerFrame }
  /** The members of a room, except `user`, unless the room is too large. */
  | { to: 'room'; room: string; user?: string; frame: ServerFrame }
  /** The members of a room, with a chunk of a text: in large rooms at most once a second. */
  | { to: 'readers'; room: string; message: string; frame: ServerFrame }
  /** The members of a room, with the events of its feed up to `seq`. */
  | { to: 'members'; room: string; seq: number; joined: string[]; left: string[] }
  /** The former members of a deleted room. */
  | { to: 'former members'; room: string; users: string[] }
  /** Connections whose token may have ended: check it. */
  | { to: 'sessions'; user: string }
  | { to: 'sessions'; token: string }
  /** The devices of a user who blocked or unblocked `whom`. */
  | { to: 'conversations'; user: string; whom: string };

/** Decides for each type of notice who receives which frame. A host only chooses connections. */
export function framesFor(notice: Notice): Dispatch {
  switch (notice.type) {
    case 'moved':
      return { to: 'members', room: notice.room, seq: notice.seq, joined: notice.joined ?? [], left: notice.left ?? [] };
    case 'gone':
      return { to: 'former members', room: notice.room, users: notice.users };
    case 'ended':
      return 'user' in notice ? { to: 'sessions', user: notice.user } : { to: 'sessions', token: notice.token };
    case 'blocked':
      return { to: 'conversations', user: notice.user, whom: notice.whom };
    case 'typing': {
      const { type, room, user, username } = notice;
      return { to: 'room', room, user, frame: { type, room: { $oid: room }, user: { $oid: user }, username } };
    }
    case 'activity': {
      const { room, thread, user, ...shown } = notice;
      const frame = { ...shown, room: { $oid: room }, thread: { $oid: thread }, user: { $oid: user } };
      // An agent has the id of its user, who must see it.
      return { to: 'room', room, frame };
    }
    case 'chunk': {
      const { type, room, message, at, text } = notice;
      return { to: 'readers', room, message, frame: { type, room: { $oid: room }, message: { $oid: message }, at, text } };
    }
    case 'read': {
      const { room, user, seq, ...rest } = notice;
      return { to: 'user', user, frame: { ...rest, room: { $oid: room }, last_read: seq } };
    }
    case 'thread': {
      const { type, room, thread, user, seq, is_followed } = notice;
      const frame = { type, room: { $oid: room }, thread: { $oid: thread }, last_read: seq, is_followed };
      return { to: 'user', user, frame };
    }
    case 'saved': {
      const { type, message, user, is_saved } = notice;
      return { to: 'user', user, frame: { type, message: { $oid: message }, is_saved } };
    }
    case 'notifications':
      return { to: 'user', user: notice.user, frame: { type: notice.type } };
  }
}

/** The frame for users who have left a room, or whose room was deleted. */
export const frameOfLeaving = (room: string): ServerFrame => ({ type: 'left', room: { $oid: room } });
