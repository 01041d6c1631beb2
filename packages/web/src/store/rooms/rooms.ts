import { computed, signal } from '@preact/signals';
import { tell } from '../../device/tabs.ts';
import { ask, chat, Failure, type Member, type MyMember, type ServerFrame } from '../../service/api.ts';
import { cache, keepRooms, noteProblem } from '../cache.ts';
import { knownEpoch } from '../epoch.ts';
import type { Marker, MyRoom } from '../kept.ts';
import { learnPersons, learnStatuses, nameOf, type Person } from '../people/names.ts';

/** My rooms, the most recently active first; undefined until they are known. */
export const rooms = signal<readonly MyRoom[] | undefined>(undefined);

/** The user's room with this id. */
export const roomOf = (id: string): MyRoom | undefined => rooms.value?.find((room) => room.id === id);

/** How many messages name me and are unread, in all rooms that are not muted. */
export const allMentions = computed(() => sum(({ isMuted, mentions }) => (isMuted ? 0 : mentions)));

/**
 * How many notifications are unread; undefined until the service was asked, after the first
 * messages.
 */
export const noticed = signal<number | undefined>(undefined);

/** How many things wait for me: the number that the title, the icon and the list have. */
export const forMe = computed(() => noticed.value ?? allMentions.value);

/** How many threads have unread replies, in all rooms that are not muted. */
export const allThreads = computed(() => sum(({ isMuted, threads = 0 }) => (isMuted ? 0 : threads)));

/** How many messages are unread in all rooms that are not muted. */
export const allUnread = computed(() => sum(({ isMuted, unread }) => (isMuted ? 0 : unread)));

const sum = (count: (room: MyRoom) => number) => (rooms.value ?? []).reduce((total, room) => total + count(room), 0);

/** Read markers that the service does not know yet, by room. */
const markers = new Map<string, Omit<Marker, 'room'>>();

/** The order of favourites that the service does not know yet. */
export const placing = new Map<string, number>();

/**
 * A membership as an entry of the list of rooms. A read marker of this client counts before the
 * service has it.
 */
function asRoom(member: Member): MyRoom {
  const { seq = 0, last_read = 0, room_name, unread = 0, unread_mentions = 0, others } = member as MyMember;
  const { is_muted = false, is_favourite = false } = member;
  const people = (others ?? []).map(({ _id, username, name, avatar }) => ({ id: _id.$oid, username, name, avatar }));
  const readHere = markers.get(member.room.$oid)?.seq;
  const isRead = readHere !== undefined && readHere >= seq;
  return {
    id: member.room.$oid,
    member: member._id.$oid,
    name: others ? nameOfDirect(people, member) : room_name,
    avatar: member.room_avatar,
    isDirect: others !== undefined,
    isOpen: others === undefined && (member.room_is_open ?? roomOf(member.room.$oid)?.isOpen),
    role: member.role,
    seq,
    lastRead: readHere ?? last_read,
    unread: isRead ? 0 : unread,
    mentions: isRead ? 0 : unread_mentions,
    threads: member.unread_threads ?? roomOf(member.room.$oid)?.threads ?? 0,
    isMuted: is_muted,
    notifyOf: member.notify_of,
    isFavourite: is_favourite,
    place: placing.get(member.room.$oid) ?? member.favourite_order,
    people,
    order: 0,
  };
}

/** The name of a direct conversation: the names of the others, or mine if I am alone in it. */
const nameOfDirect = (others: readonly Person[], mine: Person) => others.map(nameOf).join(', ') || nameOf(mine);

/** How many lists were asked for, and the last of them that was taken, or is to be ignored. */
let asked = 0;
let taken = 0;

/** Returns the number of a request for a list. */
export const askForList = (): number => ++asked;

/**
 * Ignores the answers with a list that are on their way: a change that was made here may be missing
 * from them.
 */
export function distrustLists(): void {
  taken = asked;
}

/** True if this answer is the newest list so far, and is not to be ignored. */
export function takeList(request: number): boolean {
  if (request <= taken) return false;
  taken = request;
  return true;
}

/**
 * Merges a list of memberships: all of them, or those of the rooms with news, which become the most
 * recently active.
 */
export function mergeRooms(members: readonly Member[], isAll: boolean): void {
  const fresh = members.map(asRoom);
  learnPersons(fresh.flatMap(({ people }) => people));
  learnStatuses(members.flatMap(({ others = [] }) => others.map(({ _id, status }) => ({ id: _id.$oid, status }))));
  const listed = new Set(fresh.map(({ id }) => id));
  const others = isAll ? [] : (rooms.value ?? []).filter(({ id }) => !listed.has(id));
  setRooms([...fresh, ...others]);
}

/** Changes one of my rooms here. */
export function changeMyRoom(id: string, changes: Partial<MyRoom>): void {
  if (roomOf(id)) setRooms((rooms.value ?? []).map((room) => (room.id === id ? { ...room, ...changes } : room)));
}

/** Removes a room from the list: it was left, or is gone. */
export function dropRoom(id: string): void {
  distrustLists();
  setRooms((rooms.value ?? []).filter((room) => room.id !== id));
}

/**
 * Moves a read marker here, before it is sent to the service; returns true if that changes
 * anything.
 */
export function moveMarker(id: string, seq: number, epoch = knownEpoch()): boolean {
  const room = roomOf(id);
  if (!room || room.lastRead === seq) return false;
  markers.set(id, { seq, epoch });
  void cache().then((db) => db?.put('markers', { room: id, seq, epoch }).catch(noteProblem));
  changeMyRoom(id, seq >= room.seq ? { lastRead: seq, unread: 0, mentions: 0 } : { lastRead: seq });
  return true;
}

/** Forgets the markers of another epoch that are still to be sent: they were at other messages. */
export function dropOldMarkers(): void {
  for (const [id, { seq, epoch }] of markers) if (epoch !== undefined && epoch !== knownEpoch()) confirmMarker(id, seq);
}

/** Forgets a marker that the service has. */
export function confirmMarker(id: string, seq: number): void {
  if (markers.get(id)?.seq !== seq) return;
  markers.delete(id);
  void cache().then((db) => db?.delete('markers', id).catch(noteProblem));
}

/** Sends the read markers to the service. Throws a `Failure`. */
export async function sendMarkers(): Promise<void> {
  for (const [id, { seq }] of [...markers]) {
    const room = roomOf(id);
    if (!room) continue;
    const params = { path: { member: room.member } };
    try {
      await ask(chat.PATCH('/api/members/{member}', { params, body: { last_read: seq } }));
    } catch (failure) {
      if (!(failure instanceof Failure) || failure.isTemporary || failure.status === 401) throw failure;
    }
    confirmMarker(id, seq);
    distrustLists();
    tell({ type: 'read', room: id, seq });
  }
}

/**
 * The user has read a room in another place, up to a place in it, or changed there what it is to
 * them.
 */
export async function changedElsewhere(frame: Extract<ServerFrame, { type: 'read' }>): Promise<void> {
  const { last_read: lastRead, is_muted, notify_of, is_favourite } = frame;
  const id = frame.room.$oid;
  const room = roomOf(id);
  if (!room) return;
  if ((is_muted ?? is_favourite ?? notify_of) !== undefined) {
    changeMyRoom(id, {
      isMuted: is_muted ?? room.isMuted,
      notifyOf: notify_of === undefined ? room.notifyOf : notify_of,
      isFavourite: is_favourite ?? room.isFavourite,
      place: is_favourite === false ? undefined : room.place,
    });
    return;
  }
  if (lastRead >= room.seq) {
    changeMyRoom(id, { lastRead, unread: 0, mentions: 0 });
    return;
  }
  try {
    const member = await ask(chat.GET('/api/members/{member}', { params: { path: { member: room.member } } }));
    // After a favourite was moved, the list is read again. This answer may be from before that.
    const { order, isDirect, name, people, place, ...changes } = asRoom(member);
    changeMyRoom(id, changes);
  } catch {
    // The next list has it.
  }
}

/**
 * Sets my read marker back: the message at `seq`, and what came after it, is unread again. Throws a
 * `Failure`.
 */
export async function markUnread(id: string, seq: number): Promise<void> {
  // An unsent marker would move it forward again.
  confirmMarker(id, markers.get(id)?.seq ?? 0);
  const params = { path: { member: roomOf(id)?.member ?? '' } };
  const member = (await ask(chat.PATCH('/api/members/{member}', { params, body: { unread_from: seq } }))) as MyMember;
  distrustLists();
  changeMyRoom(id, { lastRead: member.last_read, unread: member.unread, mentions: member.unread_mentions });
}

/**
 * Shows the stored rooms, from an earlier visit or another tab. `before` runs before they are
 * shown.
 */
export async function loadRooms(before?: (kept: readonly MyRoom[]) => Promise<void>): Promise<void> {
  const db = await cache();
  if (!db) return;
  for (const { room, ...marker } of (await db.getAll('markers').catch(noteProblem)) ?? []) markers.set(room, marker);
  const kept = (await db.getAll('rooms').catch(noteProblem)) ?? [];
  if (kept.length === 0) return;
  await before?.(kept);
  // Earlier versions kept less of a room.
  const whole = kept.map((room) => ({
    ...room,
    isFavourite: room.isFavourite ?? false,
    people: (room.people ?? []).filter(({ username }) => username !== undefined),
  }));
  rooms.value = whole.sort((one, other) => one.order - other.order);
}

/** Forgets all of them: somebody else uses the page. */
export function resetRooms(): void {
  markers.clear();
  rooms.value = undefined;
  noticed.value = undefined;
}

/**
 * Sets the list, in its order. Unchanged rooms keep their object and their number, so that a
 * message in one of a thousand rooms changes only one.
 */
function setRooms(list: readonly MyRoom[]): void {
  const before = rooms.value ?? [];
  const known = new Map(before.map((room) => [room.id, room]));
  const next: MyRoom[] = [];
  let order = 1;
  for (const room of list.toReversed()) {
    const earlier = known.get(room.id);
    order = Math.min(order - 1, earlier?.order ?? order - 1);
    next.push(earlier && isSameRoom(earlier, { ...room, order }) ? earlier : { ...room, order });
  }
  next.reverse();
  if (rooms.value && next.length === before.length && next.every((room, at) => room === before[at])) return;
  rooms.value = next;
  const listed = new Set(next.map(({ id }) => id));
  void keepRooms(
    next.filter((room) => room !== known.get(room.id)),
    before.map(({ id }) => id).filter((id) => !listed.has(id)),
  );
}

const isSameRoom = (one: MyRoom, other: MyRoom): boolean =>
  (Object.keys(other) as (keyof MyRoom)[]).every(
    (key) => one[key] === other[key] || (key === 'people' && JSON.stringify(one.people) === JSON.stringify(other.people)),
  );
