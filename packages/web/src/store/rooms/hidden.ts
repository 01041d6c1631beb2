import { signal } from '@preact/signals';
import { me } from '../../account/session.ts';
import { route } from '../../device/routes.ts';
import { recallJson, remember } from '../../device/storage.ts';
import type { MyRoom } from '../kept.ts';
import { drafted } from '../unsent/drafts.ts';

/*
 * Conversations that the lists of rooms leave out: those in which nobody has said anything yet, because their author may have thought better
 * of it, and those that were hidden in this browser, each until something happens in it. Nobody can leave them: a new message to the same people
 * continues the same conversation.
 */

/** Up to which place conversations are hidden, by their ids. */
const hidden = signal<Readonly<Record<string, number>> | undefined>(undefined);

const nameOf = () => `chat-hidden-${me()._id.$oid}`;

/** Whether anything was ever said in a room, or may be before a conversation begins. */
export const hasBegun = ({ isDirect, seq }: MyRoom): boolean => !isDirect || seq > 0;

/** Whether a room is in the list of rooms: it is open, something stands in it that was not sent, or it is neither empty nor hidden. */
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

/** Forgets what is hidden: somebody else uses the page. */
export const resetHidden = (): void => {
  hidden.value = undefined;
};
