import { me } from '../../account/session.ts';
import { notice } from '../../device/announcer.tsx';
import { goFrom } from '../../device/routes.ts';
import { tell } from '../../device/tabs.ts';
import { strings } from '../../i18n/strings.ts';
import { laterStrings } from '../../i18n/strings-later.ts';
import { ask, askFully, chat } from '../../service/api.ts';
import { idOf } from '../../service/ids.ts';
import { forgetRoom } from '../../store/cache.ts';
import type { MyRoom } from '../../store/kept.ts';
import { nextOf } from '../../store/people/members.ts';
import { isOnlyOwner } from '../../store/people/more-members.ts';
import { hideRoom } from '../../store/rooms/hidden.ts';
import { allThreads, changeMyRoom, distrustLists, dropRoom, moveMarker, roomOf, rooms } from '../../store/rooms/rooms.ts';
import { dropTimeline, knownTimeline } from '../../store/timelines.ts';
import { sync } from '../../sync/sync.ts';
import { attempt } from '../shared/controls.tsx';
import { confirmed, openMessage } from '../shared/dialog.tsx';
import './drag-favourites.ts';

export { movesOf } from './favourites.ts';

/* The user's actions on one of their rooms, in the list and beside the room. */

/** Mutes a room, or ends that. */
export const setMuted = (room: string, is_muted: boolean): Promise<void> =>
  changeMine(room, { is_muted }, { isMuted: is_muted }, { isMuted: !is_muted });

/** The notification settings of a room; `none` mutes it. */
export const roomChoices = ['device', 'all', 'mentions', 'none'] as const;
export type RoomChoice = (typeof roomChoices)[number];

/** The notification setting of a room. */
export const chosenFor = ({ isMuted, notifyOf }: MyRoom): RoomChoice => (isMuted ? 'none' : (notifyOf ?? 'device'));

/** Sets the notifications of a room. Unmuting restores the setting from before. */
export function chooseFor({ id, isMuted, notifyOf }: MyRoom, choice: RoomChoice): Promise<void> {
  if (choice === 'none') return setMuted(id, true);
  const notify_of = choice === 'device' ? null : choice;
  return changeMine(id, { is_muted: false, notify_of }, { isMuted: false, notifyOf: notify_of }, { isMuted, notifyOf });
}

/** Makes a room a favourite, or ends that. */
export const setFavourite = (room: string, is_favourite: boolean): Promise<void> =>
  changeMine(
    room,
    { is_favourite },
    { isFavourite: is_favourite, place: undefined },
    { isFavourite: !is_favourite, place: roomOf(room)?.place },
  );

type Flags = Parameters<typeof changeMyRoom>[1];

/** Changes what a room is to me, which is seen at once. */
async function changeMine(room: string, body: object, now: Flags, before: Flags): Promise<void> {
  const member = roomOf(room)?.member ?? '';
  changeMyRoom(room, now);
  distrustLists();
  const isDone = await attempt(() => ask(chat.PATCH('/api/members/{member}', { params: { path: { member } }, body })));
  // Also those that were asked for meanwhile.
  distrustLists();
  if (isDone) tell({ type: 'rooms' });
  else changeMyRoom(room, before);
}

/** More rooms than these are marked as read only after a question. */
const fewRooms = 20;

/** Marks all rooms as read. */
export async function markAllRead(): Promise<void> {
  const unread = (rooms.value ?? []).filter((room) => room.unread > 0);
  const { markAllAsk, markRead, allRead } = strings.rooms;
  if (unread.length > fewRooms && !(await confirmed(markAllAsk(unread.length), markRead))) return;
  for (const { id, seq } of unread) moveMarker(id, seq);
  if (allThreads.value > 0 && !(await attempt(markThreadsRead))) return;
  notice(allRead);
  void sync.run();
}

/** Marks the threads as read that have new replies. */
export async function markThreadsRead(): Promise<void> {
  // The places of the rooms may be older than the replies.
  await sync.readRooms({ all: true });
  for (let after: string | undefined, isFirst = true; isFirst || after !== undefined; isFirst = false) {
    const query = { unread: 'true' as const, limit: 100, ...(after !== undefined && { after }) };
    const { data, headers } = await askFully(chat.GET('/api/threads', { params: { query } }));
    after = nextOf(headers);
    for (const { message } of data) {
      const params = { path: { message: idOf(message) } };
      const body = { last_read: roomOf(message.room.$oid)?.seq ?? 0 };
      await ask(chat.PATCH('/api/threads/{message}', { params, body }));
    }
  }
  await sync.readRooms({ all: true });
}

/** Hides a conversation until something new is said in it. */
export function hide(room: string): void {
  // A message that was just sent here is in the open room before it is in the list of rooms.
  hideRoom(room, Math.max(roomOf(room)?.seq ?? 0, knownTimeline(room)?.place.at ?? 0));
  goFrom(room);
  notice(laterStrings.details.hidden);
}

/** Leaves a room, when that is confirmed. */
export async function leave(room: string): Promise<void> {
  const mayHaveTo = roomOf(room)?.role === 'owner';
  let mustStay = false;
  const isKnown = await attempt(async () => {
    mustStay = mayHaveTo && (await isOnlyOwner(room, idOf(me())));
  });
  if (!isKnown) return;
  if (mustStay) return openMessage(laterStrings.details.mustStay, laterStrings.details.mustStayHint);
  if (!(await confirmed(laterStrings.details.leaveAsk, strings.details.leave))) return;
  const member = roomOf(room)?.member ?? '';
  if (await attempt(() => ask(chat.DELETE('/api/members/{member}', { params: { path: { member } } })))) removeRoom(room);
}

/** Deletes a room for everyone, when that is confirmed. */
export async function remove(room: string): Promise<void> {
  if (!(await confirmed(laterStrings.details.removeAsk, laterStrings.details.remove, { isDangerous: true }))) return;
  if (await attempt(() => ask(chat.DELETE('/api/rooms/{room}', { params: { path: { room } } })))) removeRoom(room);
}

function removeRoom(room: string): void {
  goFrom(room);
  dropRoom(room);
  dropTimeline(room);
  void forgetRoom(room);
}
