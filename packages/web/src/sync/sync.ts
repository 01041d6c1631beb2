import { effect } from '@preact/signals';
import { ask, askFully, chat, Failure, type Member } from '../api.ts';
import { route } from '../routes.ts';
import { forgetRoom } from '../store/cache.ts';
import { changeMembers, nextOf } from '../store/members.ts';
import { retryAll } from '../store/outbox.ts';
import type { Changes } from '../store/reduce.ts';
import { confirmMarker, dropRoom, mergeRooms, roomOf, rooms, unsentMarkers } from '../store/rooms.ts';
import { applyToThreads } from '../store/thread.ts';
import { dropTimeline, knownTimeline } from '../store/timelines.ts';
import { roomChanged } from '../store/topics.ts';
import { tell } from '../tabs.ts';
import { connection } from './connection.ts';
import { sendOutbox } from './sender.ts';

/*
 * Keeps what is shown up to date by asking. It asks often while something happens in the open room, and ever less often while nothing does.
 * `wake` makes it ask at once: that is where a signal from the service plugs in.
 */

const quick = 1_000;
const quickFor = 30_000;
const slow = 15_000;
const hidden = 60_000;
const fullListEvery = 5 * 60_000;

let timer: ReturnType<typeof setTimeout> | undefined;
let isRunning = false;
let isAgain = false;
let isStopped = true;
let wait = quick;
let newsAt = 0;
let roomsAt = 0;
let allRoomsAt = 0;
let stopWatching: (() => void) | undefined;

/** Begins to keep things up to date. */
export function startSync(): void {
  stopSync();
  isStopped = false;
  roomsAt = allRoomsAt = 0;
  addEventListener('online', backOnline);
  addEventListener('offline', goneOffline);
  addEventListener('focus', soon);
  document.addEventListener('visibilitychange', soon);
  stopWatching = effect(() => {
    if (route.value.name === 'room') soon();
  });
  wake();
}

/** Stops it. */
export function stopSync(): void {
  isStopped = true;
  clearTimeout(timer);
  stopWatching?.();
  removeEventListener('online', backOnline);
  removeEventListener('offline', goneOffline);
  removeEventListener('focus', soon);
  document.removeEventListener('visibilitychange', soon);
}

/** Something happened, in a room or somewhere: looks at once, and often for a while. */
export function wake(room?: string): void {
  newsAt = Date.now();
  if (room === undefined || room !== openRoom()) roomsAt = 0;
  soon();
}

/** Something is to be told to the service: looks at once. */
export const hurry = (): void => soon();

function soon(): void {
  wait = quick;
  void look();
}

const backOnline = () => {
  connection.value = 'online';
  void retryAll().then(sendOutbox);
  wake();
};

const goneOffline = () => {
  connection.value = 'offline';
};

const openRoom = () => (route.value.name === 'room' ? route.value.room : undefined);

async function look(): Promise<void> {
  clearTimeout(timer);
  if (isStopped) return;
  isAgain = true;
  if (isRunning) return;
  isRunning = true;
  let pause: number | undefined;
  try {
    while (isAgain && !isStopped) {
      isAgain = false;
      pause = await lookOnce();
    }
  } finally {
    isRunning = false;
  }
  if (!isStopped) timer = setTimeout(() => void look(), pause ?? nextWait());
}

/** Looks once; returns how long to wait when the service says so. */
async function lookOnce(): Promise<number | undefined> {
  try {
    const room = openRoom();
    const timeline = room === undefined ? undefined : knownTimeline(room);
    if (room !== undefined && timeline?.cursor !== undefined) {
      const changes = await timeline.catchUp();
      if (changes) applyChanges(room, changes);
    }
    if (!timeline || Date.now() - roomsAt >= Math.min(wait * 3, slow)) await readRooms();
    await sendMarkers();
    if (connection.value !== 'online') {
      connection.value = 'online';
      void retryAll().then(sendOutbox);
    }
    return undefined;
  } catch (failure) {
    if (!(failure instanceof Failure)) throw failure;
    const room = openRoom();
    if (failure.status === 401) stopSync();
    else if ((failure.status === 404 || failure.status === 403) && room !== undefined) leaveHere(room);
    else if (failure.isTemporary) connection.value = failure.status === 429 ? 'limited' : 'offline';
    return failure.retryAfter === undefined ? undefined : failure.retryAfter * 1_000;
  }
}

function nextWait(): number {
  if (document.visibilityState === 'hidden') return isNotifying() ? slow : hidden;
  wait = Date.now() - newsAt < quickFor ? quick : Math.min(slow, wait * 1.5);
  return wait;
}

const isNotifying = () => 'Notification' in window && Notification.permission === 'granted';

/** Applies what happened in a room besides its messages, which are applied already. */
function applyChanges(room: string, changes: Changes): void {
  if (changes.messages.length + changes.members.length + changes.left.length > 0 || changes.room) {
    newsAt = Date.now();
    roomsAt = 0;
  }
  applyToThreads(changes.messages);
  changeMembers(room, changes);
  if (changes.room || changes.areDetailsStale) roomChanged(room, changes.room);
  for (const id of changes.repliedTo) void refreshMessage(room, id);
}

/** A message has a new reply: how many it has, the service says. */
async function refreshMessage(room: string, id: string): Promise<void> {
  const isShown = knownTimeline(room)?.window.value.messages.some(({ _id }) => _id.$oid === id);
  if (!isShown) return;
  try {
    const message = await ask(chat.GET('/api/messages/{message}', { params: { path: { message: id } } }));
    knownTimeline(room)?.apply({ messages: [message as never] });
    applyToThreads([message as never]);
  } catch {
    // The count is shown when the page of history is read the next time.
  }
}

/** A room that is not mine any more. */
function leaveHere(room: string): void {
  dropRoom(room);
  dropTimeline(room);
  void forgetRoom(room);
}

/** Reads the list of my rooms: its first page, which has what moved, or from time to time all of it. */
export async function readRooms({ all = false } = {}): Promise<void> {
  const isAll = all || Date.now() - allRoomsAt > fullListEvery;
  const list: Member[] = [];
  for (let after: string | undefined, isMore = true; isMore; isMore = isAll && after !== undefined) {
    const query = { user: 'me' as const, limit: isAll ? 200 : 20, ...(after !== undefined && { after }) };
    const { data, headers } = await askFully<Member[]>(chat.GET('/api/members', { params: { query } }));
    list.push(...data);
    after = nextOf(headers);
    if (after === undefined && !isAll && list.length < 20) break;
  }
  const before = rooms.value;
  const isWhole = isAll || list.length < 20;
  mergeRooms(list, isWhole);
  roomsAt = Date.now();
  if (isAll) allRoomsAt = Date.now();
  const moved = list.filter(({ room, seq }) => before?.find(({ id }) => id === room.$oid)?.seq !== seq);
  if (before && moved.length > 0) tell({ type: 'rooms' });
}

async function sendMarkers(): Promise<void> {
  for (const [id, seq] of unsentMarkers()) {
    const room = roomOf(id);
    if (!room) continue;
    const params = { path: { member: room.member } };
    try {
      await ask(chat.PATCH('/api/members/{member}', { params, body: { last_read: seq } }));
    } catch (failure) {
      if (!(failure instanceof Failure) || failure.isTemporary || failure.status === 401) throw failure;
    }
    confirmMarker(id, seq);
    tell({ type: 'read', room: id, seq });
  }
}
