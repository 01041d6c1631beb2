import { effect } from '@preact/signals';
import { connectionOf } from '../../../client/src/connection.ts';
import { giveUpOld } from '../ahead.ts';
import { ask, askFully, chat, Failure, type Member, type ServerFrame } from '../api.ts';
import { route } from '../routes.ts';
import { forgetRoom } from '../store/cache.ts';
import { knownEpoch, learnEpoch } from '../store/epoch.ts';
import { changeMembers, dropMembers, nextOf } from '../store/members.ts';
import { retryAll } from '../store/outbox.ts';
import type { Changes } from '../store/reduce.ts';
import {
  changeMyRoom,
  confirmMarker,
  dropOldMarkers,
  dropRoom,
  mergeRoom,
  mergeRooms,
  roomOf,
  rooms,
  unsentMarkers,
} from '../store/rooms.ts';
import { applyToThreads, readThreadAgain } from '../store/thread.ts';
import { dropTimeline, knownTimeline } from '../store/timelines.ts';
import { roomChanged } from '../store/topics.ts';
import { hideTyping, showTyping } from '../store/typing.ts';
import { tell } from '../tabs.ts';
import { connection } from './connection.ts';
import { sendOutbox } from './sender.ts';

/*
 * Keeps what is shown up to date. What happens in the open room is pushed, and that something happened elsewhere. Without a connection, it asks:
 * often while something happens in the open room, and ever less often while nothing does. `wake` makes it ask at once.
 */

const quick = 1_000;
// All who have lost a connection ask at one moment.
const quickWithoutPush = 5_000;
const quickFor = 30_000;
const slow = 15_000;
const hidden = 60_000;
/** What is pushed is asked for nevertheless: at first, because it may have been on its way, and then now and then. */
const pushed = 60_000;
/** Within this time the list of rooms is read when something happened in one of them: not by all who are in it at one moment. */
const spread = 2_000;
const fullListEvery = 5 * 60_000;
/** Without a push nobody says what was read elsewhere. */
const fullListWithoutPush = 30_000;
/** After so long a look at the page reads the whole list. */
const staleAfter = 10_000;

let timer: ReturnType<typeof setTimeout> | undefined;
let isRunning = false;
let isAgain = false;
let isStopped = true;
let wait = quick;
// By a clock that nobody sets: `never` is before all its times.
const never = Number.NEGATIVE_INFINITY;
let newsAt = never;
let roomsAt = never;
let allRoomsAt = never;
let stopWatching: (() => void) | undefined;
/** Whether the open room is to be asked for, and when at the latest. */
let isRoomDue = true;
let roomDueAt = 0;
let isPushed = false;
let hadPush = false;
let spreading: ReturnType<typeof setTimeout> | undefined;

const push = connectionOf(chat, { baseUrl: '', WebSocket: globalThis.WebSocket });
let leavePush: (() => void) | undefined;

/** Begins to keep things up to date. */
export function startSync(): void {
  stopSync();
  isStopped = false;
  roomsAt = allRoomsAt = never;
  addEventListener('online', backOnline);
  addEventListener('offline', goneOffline);
  addEventListener('focus', lookedAt);
  document.addEventListener('visibilitychange', lookedAt);
  stopWatching = effect(() => {
    if (route.value.name === 'room') soon();
  });
  wake();
}

/** Stops it. */
export function stopSync(): void {
  isStopped = true;
  leavePush?.();
  leavePush = undefined;
  isPushed = false;
  clearTimeout(timer);
  clearTimeout(spreading);
  spreading = undefined;
  stopWatching?.();
  removeEventListener('online', backOnline);
  removeEventListener('offline', goneOffline);
  removeEventListener('focus', lookedAt);
  document.removeEventListener('visibilitychange', lookedAt);
}

/** Something happened, in a room or somewhere: looks at once, and often for a while. */
export function wake(room?: string): void {
  newsAt = performance.now();
  if (room === undefined || room !== openRoom()) roomsAt = never;
  soon();
}

/** Something is to be told to the service: looks at once. */
export function hurry(): void {
  if (isPushed) void look();
  else soon();
}

function soon(): void {
  isRoomDue = true;
  wait = hadPush && !isPushed ? quickWithoutPush : quick;
  void look();
}

const lookedAt = () => {
  if (document.visibilityState === 'hidden') return;
  push.check();
  // What waits since before may wait for a connection that is gone.
  giveUpOld();
  if (performance.now() - allRoomsAt > staleAfter) allRoomsAt = never;
  roomsAt = never;
  soon();
};

// What was written before is not pushed.
function connected(): void {
  isPushed = hadPush = true;
  // Nor what was read elsewhere, in whichever room.
  if (performance.now() - allRoomsAt > staleAfter) allRoomsAt = never;
  wake();
}

function disconnected(): void {
  isPushed = false;
  wait = quickWithoutPush;
  schedule(Math.random() * wait);
}

function heard(frame: ServerFrame): void {
  if (frame.type === 'room') roomMoved(frame);
  else if (frame.type === 'pong' && frame.epoch !== knownEpoch()) wake();
  else if (frame.type === 'pong') {
    const moved = frame.rooms.filter(({ room, seq }) => seq > (roomOf(room.$oid)?.seq ?? 0));
    if (moved.some(({ room }) => room.$oid === openRoom())) soon();
    if (moved.length > 0 || frame.more) readRoomsSoon();
  } else if (frame.type === 'left') {
    allRoomsAt = never;
    if (frame.room.$oid === openRoom()) soon();
    readRoomsSoon();
  } else if (frame.type === 'read') void readElsewhere(frame.room.$oid, frame.last_read);
  else if (frame.type === 'typing') showTyping(frame.room.$oid, frame.username);
}

/** Tells the others in a room that one is typing, at most every 3 seconds. */
export const tellTyping = push.typing;

/** Applies what happened in the open room, or asks for it if that does not follow what is here. */
function roomMoved(frame: Extract<ServerFrame, { type: 'room' }>): void {
  const room = frame.room.$oid;
  if (room === openRoom()) {
    const changes = knownTimeline(room)?.take(frame);
    if (changes) applyChanges(room, changes);
    else soon();
  }
  readRoomsSoon();
}

function readRoomsSoon(): void {
  spreading ??= setTimeout(() => {
    spreading = undefined;
    roomsAt = never;
    void look();
  }, Math.random() * spread);
}

const backOnline = () => {
  push.check();
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
  let hasAsked = false;
  try {
    while (isAgain && !isStopped) {
      isAgain = false;
      hasAsked ||= isRoomDue;
      pause = await lookOnce();
    }
  } finally {
    isRunning = false;
  }
  schedule(pause ?? (hasAsked ? nextWait() : Math.max(0, roomDueAt - performance.now())));
}

function schedule(milliseconds: number): void {
  clearTimeout(timer);
  roomDueAt = performance.now() + milliseconds;
  if (isStopped) return;
  timer = setTimeout(() => {
    isRoomDue = true;
    void look();
  }, milliseconds);
}

/** Looks once; returns how long to wait when the service says so. */
async function lookOnce(): Promise<number | undefined> {
  try {
    const room = openRoom();
    const timeline = room === undefined ? undefined : knownTimeline(room);
    if (room !== undefined && timeline?.state.value === 'ready' && isRoomDue) {
      isRoomDue = false;
      const changes = await timeline.catchUp();
      if (changes) applyChanges(room, changes);
    }
    if (!timeline || performance.now() - roomsAt >= Math.min(wait * 3, slow)) await readRooms();
    await sendMarkers();
    // First what is shown.
    if (!isStopped && !(timeline && timeline.cursor === undefined)) leavePush ??= push.join({ connected, disconnected, heard });
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
  if (isPushed && connection.value === 'online') {
    const room = openRoom();
    const isOpening = room !== undefined && knownTimeline(room)?.cursor === undefined;
    wait = isOpening ? quick : Math.min(pushed, wait * 2);
    return wait;
  }
  if (document.visibilityState === 'hidden') return isNotifying() ? slow : hidden;
  if (hadPush) return quickWithoutPush;
  wait = performance.now() - newsAt < quickFor ? quick : Math.min(slow, wait * 1.5);
  return wait;
}

const isNotifying = () => 'Notification' in window && Notification.permission === 'granted';

/** Applies what happened in a room besides its messages, which are applied already. */
function applyChanges(room: string, changes: Changes): void {
  if (changes.messages.length + changes.members.length + changes.left.length > 0 || changes.room) {
    newsAt = performance.now();
    roomsAt = never;
  }
  applyToThreads(changes.messages);
  for (const { username } of changes.messages) hideTyping(room, username);
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

/** The user has read a room in another place, up to a place in it. */
async function readElsewhere(id: string, lastRead: number): Promise<void> {
  const room = roomOf(id);
  if (!room) return;
  if (lastRead >= room.seq) {
    changeMyRoom(id, { lastRead, unread: 0, mentions: 0 });
    return;
  }
  try {
    mergeRoom(await ask(chat.GET('/api/members/{member}', { params: { path: { member: room.member } } })));
  } catch {
    // The next list has it.
  }
}

/** A room that is no longer mine. */
function leaveHere(room: string): void {
  dropRoom(room);
  dropTimeline(room);
  void forgetRoom(room);
}

/** Reads the list of my rooms: its first page, which has what moved, or from time to time all of it. */
export async function readRooms({ all = false } = {}): Promise<void> {
  const isAll = all || performance.now() - allRoomsAt > (isPushed ? fullListEvery : fullListWithoutPush);
  const list: Member[] = [];
  for (let after: string | undefined, isMore = true; isMore; isMore = isAll && after !== undefined) {
    const query = { user: 'me' as const, limit: isAll ? 200 : 20, ...(after !== undefined && { after }) };
    const { data, headers } = await askFully<Member[]>(chat.GET('/api/members', { params: { query } }));
    // The service was restored from a backup: everything is read again, also what came before this page.
    if (learnEpoch(headers)) return startOver();
    list.push(...data);
    after = nextOf(headers);
    if (after === undefined && !isAll && list.length < 20) break;
  }
  dropOldMarkers();
  const before = rooms.value;
  const isWhole = isAll || list.length < 20;
  mergeRooms(list, isWhole);
  roomsAt = performance.now();
  if (isAll) allRoomsAt = performance.now();
  const moved = list.filter(({ room, seq }) => before?.find(({ id }) => id === room.$oid)?.seq !== seq);
  if (before && moved.length > 0) tell({ type: 'rooms' });
}

/** Forgets what is known of an earlier epoch, and reads it again; the open room finds that its cursor is refused. */
function startOver(): Promise<void> {
  dropMembers();
  void readThreadAgain();
  soon();
  return readRooms({ all: true });
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
