import { withDeadline } from '../base/deadline.ts';
import { describeError, log } from '../base/log.ts';
import { botWebhooks } from '../collections/delivery/bot-webhooks.ts';
import { isAnyoneConnected } from '../collections/delivery/connections.ts';
import { pushSubscriptions } from '../collections/delivery/push-subscriptions.ts';
import type { RoomNews } from '../collections/rooms/read-markers.ts';
import { rooms } from '../collections/rooms/rooms.ts';
import { carrier } from './carrier.ts';

/** A notice for connected clients, sent after its subject was stored. Ids are in hexadecimal. */
export type Notice =
  /**
   * The feed of a room has reached `seq`. The users in `joined` and `left` have just joined or
   * left.
   */
  | { type: 'moved'; room: string; seq: number; joined?: string[]; left?: string[] }
  /** A room was deleted; `users` were its members. */
  | { type: 'gone'; room: string; users: string[] }
  /** Some tokens of a user, or this token, may have ended. */
  | { type: 'ended'; user: string }
  | { type: 'ended'; token: string }
  /** A user has blocked or unblocked somebody, which changes what the user sees. */
  | { type: 'blocked'; user: string; whom: string }
  /** A user has read a room up to `seq`, or has changed their preferences for it. */
  | {
      type: 'read';
      room: string;
      user: string;
      seq: number;
      is_muted?: boolean;
      notify_of?: RoomNews | null;
      is_favourite?: boolean;
      favourite_order?: number;
    }
  /** A user has read a thread up to `seq`, or has followed or unfollowed it. */
  | { type: 'thread'; room: string; thread: string; user: string; seq: number; is_followed: boolean }
  /**
   * A user's list of notifications has an entry that no message of a room shows, or the user has
   * read the list.
   */
  | { type: 'notifications'; user: string }
  /** A user has saved or unsaved a message, or has changed its reminder. */
  | { type: 'saved'; user: string; message: string; is_saved: boolean }
  /** A user is typing. */
  | { type: 'typing'; room: string; user: string; username: string }
  /** A bot or an agent does something in a thread; an empty text ends it. */
  | { type: 'activity'; room: string; thread: string; user: string; username: string; via?: string; text: string }
  /** The text of a message that streams, from a number of characters on. */
  | { type: 'chunk'; room: string; user: string; message: string; at: number; text: string };

/**
 * A notice that only servers handle. Its subject is not stored, or matters only to connected
 * clients.
 */
export type ServerNotice =
  | Notice
  /**
   * A user has changed their profile: names, picture, status, or whether others may see that the
   * user is active.
   */
  | { type: 'person'; user: string }
  /**
   * The presence of the people who are connected to a process. `asks` requests the same from the
   * other processes.
   */
  | { type: 'presence'; process: string; people: PresentPerson[]; asks?: true };

/** A user's presence on a server, and the users whom they have blocked. */
export type PresentPerson = { user: string; state: 'active' | 'away' | 'offline'; blocked: string[] };

/** A function that forwards notices. */
export type Listener = (notice: ServerNotice) => void;

const listeners = new Set<Listener>();

/** Calls this listener with every notice of this process, until the returned function is called. */
export function onNotice(listener: Listener): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

/**
 * Forwards a notice after its subject was stored. The notice may get lost: the feed has everything,
 * and connected clients read it. `isWanted` is the result of `foresee`.
 */
export function notify(notice: Notice, isWanted?: Promise<boolean>): void {
  for (const listener of listeners) listener(notice);
  if (carrier) untold.push({ notice, isWanted });
}

/**
 * Forwards a notice in this process, and from a server to the others. Lambda functions do not
 * forward it.
 */
export function notifyServers(notice: ServerNotice): void {
  for (const listener of listeners) listener(notice);
}

/**
 * Starts to find out whether a notice will interest anybody, concurrently with the write. Call it
 * only after the write's place was reserved: clients that connect later read the room's position
 * and find the change.
 */
export const foresee = (): Promise<boolean> | undefined => (carrier ? isAnyoneToTell().catch(() => false) : undefined);

/** Finds out whether a notice that matters only to connected clients will interest anybody. */
export const foreseeConnected = (): Promise<boolean> | undefined =>
  carrier ? isAnyoneConnected().catch(() => false) : undefined;

/** True if a device is subscribed to notifications. */
export const hasDevices = async (): Promise<boolean> =>
  (await pushSubscriptions.findOne({}, { projection: { _id: 1 } })) !== null;

/**
 * True if a room or bot has an outgoing webhook. Rooms are found by an index, which not every
 * database would use for `$exists`.
 */
export async function hasOutgoingWebhooks(): Promise<boolean> {
  const projection = { _id: 1 };
  const found = await Promise.all([
    rooms.findOne({ 'webhooks.outgoing.url': { $gt: '' } }, { projection }),
    botWebhooks.findOne({}, { projection }),
  ]);
  return found.some((one) => one !== null);
}

/**
 * True if a device is subscribed or an outgoing webhook exists, i.e. somebody is interested without
 * a connection.
 */
const hasOthersToTell = async (): Promise<boolean> => (await Promise.all([hasDevices(), hasOutgoingWebhooks()])).includes(true);

/** True if anybody is interested, with or without a connection. */
const isAnyoneToTell = async (): Promise<boolean> => (await Promise.all([isAnyoneConnected(), hasOthersToTell()])).includes(true);

type PendingNotice = { notice: Notice; isWanted: Promise<boolean> | undefined };

// The notices that this process has yet to send, and those that are being sent. On Lambda, a
// process is one function with one request.
let untold: PendingNotice[] = [];
const telling = new Set<Promise<void>>();

/** The longest delay of a response by its notices. */
const longestTellingMs = 1_000;

/**
 * Sends the notices to the function that reaches connected clients. This happens before the
 * response, because the process may be suspended after it. Nothing is sent while nobody is
 * connected. Never throws, because the changes are stored already.
 */
export function carryNotices(): Promise<unknown> | undefined {
  if (untold.length > 0) {
    const told = sendNotices(untold).catch((error) => log('error', 'notices lost', { error: describeError(error) }));
    untold = [];
    telling.add(told);
    void told.finally(() => telling.delete(told));
  }
  return telling.size > 0 ? Promise.all(telling) : undefined;
}

const sendNotices = (all: PendingNotice[]): Promise<void> =>
  withDeadline(performance.now() + longestTellingMs, async () => {
    const isLooked = all.every(({ isWanted }) => isWanted);
    const seen = isLooked ? undefined : isAnyoneToTell();
    const wanted = await Promise.all(all.map(({ isWanted }) => isWanted ?? seen));
    const notices = all.flatMap(({ notice }, at) => (wanted[at] ? inParts(notice) : []));
    await Promise.all(eventsOf(notices).map((event) => carrier?.invoke(event)));
  });

/** The largest event for an invocation, in characters of one byte each. AWS accepts 256 KB. */
const largestEvent = 200_000;
const mostUsers = 4_000;

/** Splits a notice with too many users for one event. */
function inParts(notice: Notice): Notice[] {
  if (notice.type !== 'gone' || notice.users.length <= mostUsers) return [notice];
  const { users } = notice;
  return [{ ...notice, users: users.slice(0, mostUsers) }, ...inParts({ ...notice, users: users.slice(mostUsers) })];
}

/** Groups the notices into events, as JSON, in their order. */
function eventsOf(notices: Notice[]): string[] {
  const parts: string[][] = [];
  let size = Number.POSITIVE_INFINITY;
  for (const notice of notices.map((one) => JSON.stringify(one))) {
    size += notice.length + 1;
    if (size > largestEvent) {
      parts.push([]);
      size = notice.length;
    }
    parts.at(-1)?.push(notice);
  }
  return parts.map((part) => `{"notices":[${part.join()}]}`);
}
