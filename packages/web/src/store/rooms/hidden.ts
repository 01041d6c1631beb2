import { signal } from '@preact/signals';
import { me } from '../../account/session.ts';
import { route } from '../../device/routes.ts';
import { recallJson, remember } from '../../device/storage.ts';
import type { MyRoom } from '../kept.ts';
import { drafted } from '../unsent/drafts.ts';

/*
 * Direct conversations that the lists of rooms leave out. Empty ones, because their author may
 * never write, and those hidden in this browser until something happens in them. Nobody can leave a
 * conversation: a new message to the same people continues it.
 */

/** For each hidden conversation, by id: the place of the last event that does not show it again. */
const hidden = signal<Readonly<Record<string, number>> | undefined>(undefined);

const nameOf = () => `chat-hidden-${me()._id.$oid}`;

/**
 * True if a room has messages or is not a conversation: messages may be written before a
 * conversation starts.
 */
export const hasBegun = ({ isDirect, seq }: MyRoom): boolean => !isDirect || seq > 0;

/**
 * True if a room is in the list of rooms: it is open, it has unsent content, or it is neither empty
 * nor hidden.
 */
export function isListed(room: MyRoom): boolean {
  const { value } = route;
  if (!room.isDirect || (value.name === 'room' && value.room === room.id) || drafted.value.has(room.id)) return true;
  hidden.value ??= recallJson<Record<string, number>>(nameOf(), {});
  return hasBegun(room) && (hidden.value[room.id] ?? 0) < room.seq;
}

/** Hides a conversation until something happens in it after a place. */
export function hideRoom(id: string, seq: number): void {
  hidden.value = { ...recallJson<Record<string, number>>(nameOf(), {}), [id]: seq };
  remember(nameOf(), JSON.stringify(hidden.value));
}

/** Forgets the hidden conversations, for the next user of the page. */
export const resetHidden = (): void => {
  hidden.value = undefined;
};
