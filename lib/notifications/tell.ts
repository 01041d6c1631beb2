import type { PushPayload } from 'chat-service-rules/push-payload';
import { ObjectId } from 'mongodb';
import { concurrently } from '../base/concurrently.ts';
import { type PushSubscriptionDocument, pushSubscriptions } from '../collections/delivery/push-subscriptions.ts';
import { pushed } from '../collections/delivery/pushed.ts';
import { type RoomDocument, rooms } from '../collections/rooms/rooms.ts';
import { followedThreads } from '../collections/rooms/threads.ts';
import type { Event } from '../feed/events.ts';
import { withLease } from '../feed/lease.ts';
import { readPart } from '../feed/reader.ts';
import { findCallersOf } from '../identity/authenticate.ts';
import type { Caller } from '../identity/caller.ts';
import type { Message } from '../messages/messages.ts';
import { isBlocked } from '../rooms/conversations.ts';
import { findMarkers, type ReadMarker } from '../rooms/read-markers.ts';
import { isQuiet, pushedMessage } from './pushed-message.ts';
import { remindDevice } from './reminders.ts';
import { noAnswer, pushLife, sendPush } from './send.ts';
import { noteOutcome } from './subscriptions.ts';

/*
 * Sends push notifications of a room's messages to the devices of its members. The room's place in
 * its feed advances after all devices were notified. If the process dies before, the next one
 * notifies them again. A device knows the last place that it has shown, and ignores the repetition.
 * Recipients and contents are decided when the pushes are sent.
 */

/** The lease of a process on a room, in milliseconds. The process renews it while it lives. */
const leaseMs = 30_000;

/**
 * The number of devices that are notified concurrently, and the number whose read states are
 * queried together: requests wait for that query.
 */
const atOnce = 16;
const atATime = 100;

/** The number of events per read. */
const pageSize = 100;

/**
 * `all`: all devices were notified. `more`: some messages are left. `taken`: another process has
 * the lease.
 */
export type TellingResult = 'all' | 'more' | 'taken';

/**
 * Notifies the devices of a room's members of its news. After an abort, the next process notifies
 * the remaining ones.
 */
export async function tellOfRoom(id: string, signal?: AbortSignal): Promise<TellingResult> {
  const room = new ObjectId(id);
  const create = () => ({ _id: room, seq: 0, leased_until: new Date(0) });
  const done = await withLease(pushed, { _id: room }, { leaseMs, create, isRenewed: true }, async ({ document, update }) => {
    let next = document.seq;
    try {
      const news = await readNews(room);
      await notifyMembers(room, news.messages, { place: document.seq, signal });
      next = Math.max(next, news.next);
      return news.isAll ? 'all' : 'more';
    } finally {
      await update({ $set: { seq: next, leased_until: new Date() } });
    }
  });
  return done ?? 'taken';
}

/** A message, and the place of the event that notifies of it. */
type NewMessage = Message & { at: number };

type News = { messages: NewMessage[]; next: number; isAll: boolean };

/**
 * The last messages that are recent enough to be pushed, up to the end of the feed. It includes
 * messages that were pushed before, because a notification shows how many there are. Older messages
 * are too many to be pushed one by one.
 */
async function readNews(room: ObjectId): Promise<News> {
  const since = Date.now() - pushLife;
  const found = await rooms.findOne<ToldRoom & { seq: number }>({ _id: room }, { projection: { ...projection, seq: 1 } });
  const nothing = { messages: [], next: found?.seq ?? 0, isAll: true };
  if (!found || !(await hasDevice(found))) return nothing;
  const part = await readPart(room, Math.max(0, found.seq - pageSize), pageSize);
  if (part.kind !== 'events') return nothing;
  const sent = part.events.flatMap(newMessageIn);
  const messages = sent.filter(({ deleted_at, created_at }) => !deleted_at && Date.parse(created_at.$date) > since);
  return { messages, next: part.next, isAll: part.next >= found.seq };
}

/** The new message of an event. A message that streamed is new when its text is complete. */
function newMessageIn({ type, data, seq: at }: Event): NewMessage[] {
  if ((type !== 'message.created' && type !== 'message.completed') || !data) return [];
  const message = data as Message;
  return (message.is_streaming === undefined) === (type === 'message.created') ? [{ ...message, at }] : [];
}

type TellingOptions = {
  place: number;
  among?: { _id: ObjectId };
  signal?: AbortSignal | undefined;
  /**
   * The push services that did not respond. Their other devices are notified later, so that they do
   * not delay anybody.
   */
  silent?: Set<string>;
};

/**
 * Notifies the given devices, or those of all members, of messages that concern them, if any come
 * after a place.
 */
async function notifyMembers(room: ObjectId, messages: NewMessage[], telling: TellingOptions): Promise<void> {
  if (messages.length === 0) return;
  // Read after the messages, so that nobody is notified of a message after they left.
  const found = await rooms.findOne<ToldRoom>({ _id: room }, { projection });
  if (!found) return;
  const devices = await findDevices(found, telling.among);
  const all = { silent: new Set<string>(), ...telling };
  for (let at = 0; at < devices.length; at += atATime) await tellSome(devices.slice(at, at + atATime), found, messages, all);
}

/** Notifies devices whose users want the messages now and have not read them. */
async function tellSome(
  devices: PushSubscriptionDocument[],
  room: ToldRoom,
  messages: NewMessage[],
  { place, signal, silent }: TellingOptions & { silent: Set<string> },
): Promise<void> {
  const users = [...new Map(devices.map(({ user }) => [user.toHexString(), user])).values()];
  const [callers, markers, threads] = await Promise.all([
    findCallersOf(devices.map(({ _id }) => _id)),
    findMarkers(room._id, users),
    findThreads(messages, users),
  ]);
  await concurrently(devices, atOnce, async (device) => {
    signal?.throwIfAborted();
    const caller = callers.get(device._id.toHexString())?.caller;
    const user = device.user.toHexString();
    if (!caller) await pushSubscriptions.deleteMany({ _id: device._id });
    else if (!isBlocked(room, caller) && !isQuiet(caller)) {
      const concerns = concernOf(device, { room, marker: markers.get(user), threads });
      await tellDevice(device, room, messages.filter(concerns), { caller, place, silent });
    }
  });
}

const ofMembers = ({ members }: ToldRoom) => ({ user: { $in: members.map(({ user }) => user) } });

const findDevices = (room: ToldRoom, among: { _id?: ObjectId } = {}) =>
  pushSubscriptions.find({ ...among, ...ofMembers(room) }).toArray();

const hasDevice = async (room: ToldRoom): Promise<boolean> =>
  (await pushSubscriptions.findOne(ofMembers(room), { projection: { _id: 1 } })) !== null;

const projection = { name: 1, is_direct: 1, created_by: 1, 'members.user': 1 };
type ToldRoom = Pick<RoomDocument, 'name' | 'is_direct' | 'created_by'> & { _id: ObjectId; members: { user: ObjectId }[] };

type ReaderState = { room: ToldRoom; marker: ReadMarker | undefined; threads: Map<string, number> };

/** True if a message concerns the user of a device and the user has not read it. */
function concernOf({ user, of: ofDevice, created_at }: PushSubscriptionDocument, { room, marker, threads }: ReaderState) {
  const me = user.toHexString();
  const of = marker?.notifyOf ?? ofDevice;
  // A subscription with a future date was created while the clock was ahead. It counts as old.
  const since = created_at.getTime() > Date.now() ? 0 : created_at.getTime();
  return ({ user: author, seq, at, mentions, thread, is_in_room, created_at: sent }: NewMessage): boolean => {
    if (marker?.isMuted || author.$oid === me || Date.parse(sent.$date) < since) return false;
    const isNamed = mentions.some(({ $oid }) => $oid === me);
    if (thread && !is_in_room) {
      const read = threads.get(`${thread.$oid} ${me}`);
      return read === undefined ? isNamed && of === 'all' : seq > read;
    }
    return at > (marker?.seq ?? 0) && (isNamed || of === 'all' || (of === 'mine' && room.is_direct === true));
  };
}

/** The read markers of these users in the threads of these messages, by thread and user. */
async function findThreads(messages: Message[], users: ObjectId[]): Promise<Map<string, number>> {
  const ids = [...new Set(messages.flatMap(({ thread, is_in_room }) => (thread && !is_in_room ? [thread.$oid] : [])))];
  const found = await Promise.all(
    ids.map((id) =>
      followedThreads.find({ '_id.thread': new ObjectId(id), '_id.user': { $in: users }, is_left: { $exists: false } }).toArray(),
    ),
  );
  return new Map(found.flat().map(({ _id, seq = 0 }) => [`${_id.thread.toHexString()} ${_id.user.toHexString()}`, seq] as const));
}

/**
 * Notifies a device of messages; the messages of each thread are separate. The notification shows
 * the last message, and is sent only if that comes after `place`.
 */
async function tellDevice(
  device: PushSubscriptionDocument,
  room: ToldRoom,
  messages: NewMessage[],
  { caller, place, silent }: { caller: Caller; place: number; silent: Set<string> },
): Promise<void> {
  const places = Map.groupBy(messages, ({ thread, is_in_room }) => (is_in_room ? '' : (thread?.$oid ?? '')));
  for (const some of places.values()) {
    if (Math.max(...some.map(({ at }) => at)) <= place) continue;
    const service = new URL(device.endpoint).host;
    const outcome = silent.has(service) ? noAnswer : await sendPush(device, payloadOf(room, some, caller));
    if (outcome.kind === 'later' && outcome.isSilent) silent.add(service);
    if (await noteOutcome(device, outcome, { 'retry.rooms': room._id })) return;
  }
}

const payloadOf = (room: ToldRoom, messages: Message[], caller: Caller): PushPayload => ({
  type: 'messages',
  count: messages.length,
  ...pushedMessage(room, messages.at(-1) as Message, caller),
});

/** The most devices that are retried per call. The others follow a little later. */
const mostRetried = 200;

/** Retries pushes to devices that could not be reached. */
export async function retryDevices(signal?: AbortSignal): Promise<void> {
  const now = Date.now();
  // A retry never waits longer than the lifetime of a push. A later date comes from a clock ahead.
  const isDue = { $or: [{ 'retry.at': { $lte: new Date(now) } }, { 'retry.at': { $gt: new Date(now + pushLife) } }] };
  const due = await pushSubscriptions.find(isDue, { limit: mostRetried }).toArray();
  const silent = new Set<string>();
  await concurrently(due, atOnce, async ({ _id, retry }) => {
    signal?.throwIfAborted();
    // If the push fails again, it is recorded again.
    const noted = { _id, 'retry.at': retry?.at as Date };
    const { matchedCount } = await pushSubscriptions.updateOne(noted, { $unset: { retry: '' } });
    if (matchedCount === 0) return;
    for (const room of retry?.rooms ?? [])
      await notifyMembers(room, (await readNews(room)).messages, { place: 0, among: { _id }, silent });
    for (const message of retry?.reminders ?? []) await remindDevice(_id, message);
  });
}

/**
 * The rooms with recent events that were not sent to devices. The last event must be `rest`
 * milliseconds old.
 */
export async function findMissed(rest = 0): Promise<string[]> {
  const now = Date.now();
  const changed = { changed_at: { $gte: new Date(now - pushLife), ...(rest > 0 && { $lte: new Date(now - rest) }) } };
  const found = await rooms.find<{ _id: ObjectId; seq: number }>(changed, { projection: { seq: 1 } }).toArray();
  const places = await pushed.find({ _id: { $in: found.map(({ _id }) => _id) } }).toArray();
  const told = new Map(places.map(({ _id, seq }) => [_id.toHexString(), seq]));
  return found.filter(({ _id, seq }) => (told.get(_id.toHexString()) ?? 0) < seq).map(({ _id }) => _id.toHexString());
}
