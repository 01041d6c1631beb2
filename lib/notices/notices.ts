import { withDeadline } from '../base/deadline.ts';
import { describeError, log } from '../base/log.ts';
import { botWebhooks } from '../collections/delivery/bot-webhooks.ts';
import { isAnyoneConnected } from '../collections/delivery/connections.ts';
import { pushSubscriptions } from '../collections/delivery/push-subscriptions.ts';
import type { RoomNews } from '../collections/rooms/read-markers.ts';
import { rooms } from '../collections/rooms/rooms.ts';
import { carrier } from './carrier.ts';

/** A notice for connected clients, once its subject is stored; ids are in hexadecimal. */
export type Notice =
  /** The feed of a room is at `seq`; these users have just become members, or ceased to be. */
  | { type: 'moved'; room: string; seq: number; joined?: string[]; left?: string[] }
  /** A room is deleted; these were its members. */
  | { type: 'gone'; room: string; users: string[] }
  /** Some of the tokens of a user, or this one, may have ended. */
  | { type: 'ended'; user: string }
  | { type: 'ended'; token: string }
  /** A user has blocked or unblocked someone, so that the user wants to see other things. */
  | { type: 'blocked'; user: string; whom: string }
  /** A user has read a room up to `seq`, or has changed what it is to them. */
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
  /** A user has read a thread up to `seq`, or has chosen whether to follow it. */
  | { type: 'thread'; room: string; thread: string; user: string; seq: number; is_followed: boolean }
  /** Something has come into the list of a user's notifications that no message of a room shows, or the user has read the list. */
  | { type: 'notifications'; user: string }
  /** A user has saved a message, or no longer wants it saved, or wants to be reminded of it at another time, or no longer. */
  | { type: 'saved'; user: string; message: string; is_saved: boolean }
  /** A user is typing. */
  | { type: 'typing'; room: string; user: string; username: string };

/** A notice that servers alone take: what it tells of is not stored, or is of no interest where nobody watches it. */
export type ServerNotice =
  | Notice
  /** A user has changed what others see of them: names, picture, status, or whether they are told when the user is active. */
  | { type: 'person'; user: string }
  /** How people are who are connected to a process; with `asks`, it wants to know the same of those of the others. */
  | { type: 'presence'; process: string; people: PresentPerson[]; asks?: true };

/** Somebody who is connected to a server, or no longer is, and whom they have blocked. */
export type PresentPerson = { user: string; state: 'active' | 'away' | 'offline'; blocked: string[] };

/** A listener that passes notices on. */
export type Listener = (notice: ServerNotice) => void;

const listeners = new Set<Listener>();

/** From now on this listener gets every notice of this process, until the function that is returned is called. */
export function onNotice(listener: Listener): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

/**
 * Passes a notice on, after its subject is stored. The notice may get lost: the feed has everything, and connected
 * clients look there. `isWanted` is what `foresee` has found out meanwhile.
 */
export function notify(notice: Notice, isWanted?: Promise<boolean>): void {
  for (const listener of listeners) listener(notice);
  if (carrier) untold.push({ notice, isWanted });
}

/** Passes a notice on within this process, and from a server to the others; functions have nobody to tell. */
export function notifyServers(notice: ServerNotice): void {
  for (const listener of listeners) listener(notice);
}

/**
 * Begins to find out whether a notice will interest anybody, beside the write that it is about. Only after the place
 * of that was taken: who connects later reads how far the room is, and finds it.
 */
export const foresee = (): Promise<boolean> | undefined => (carrier ? isAnyoneToTell().catch(() => false) : undefined);

/** Whether there is any device that is told while its page is closed. */
export const hasDevices = async (): Promise<boolean> =>
  (await pushSubscriptions.findOne({}, { projection: { _id: 1 } })) !== null;

/** Whether any room or bot has a webhook that sends events: of rooms by an index, which `$exists` would not use everywhere. */
export async function hasOutgoingWebhooks(): Promise<boolean> {
  const projection = { _id: 1 };
  const found = await Promise.all([
    rooms.findOne({ 'webhooks.outgoing.url': { $gt: '' } }, { projection }),
    botWebhooks.findOne({}, { projection }),
  ]);
  return found.some((one) => one !== null);
}

/** Whether there is anybody to tell who is not connected: a device whose page is closed, or a program that is sent events. */
const hasOthersToTell = async (): Promise<boolean> => (await Promise.all([hasDevices(), hasOutgoingWebhooks()])).includes(true);

/** Whether there is anybody to tell, connected or not. */
const isAnyoneToTell = async (): Promise<boolean> => (await Promise.all([isAnyoneConnected(), hasOthersToTell()])).includes(true);

type PendingNotice = { notice: Notice; isWanted: Promise<boolean> | undefined };

// The notices that this process has yet to tell another, and those that it is telling it. On Lambda, it is one
// function with one request.
let untold: PendingNotice[] = [];
const telling = new Set<Promise<void>>();

/** For how many milliseconds an answer may wait for its notices. */
const longestTelling = 1_000;

/**
 * Has the notices carried, before the answer, to where connected clients can be reached from: after the answer, the
 * process may be frozen. While nobody is connected, no notices are carried. Never fails, because the work that they
 * tell of is done.
 */
export function carryNotices(): Promise<unknown> | undefined {
  if (untold.length > 0) {
    const told = tell(untold).catch((error) => log('error', 'notices lost', { error: describeError(error) }));
    untold = [];
    telling.add(told);
    void told.finally(() => telling.delete(told));
  }
  return telling.size > 0 ? Promise.all(telling) : undefined;
}

const tell = (all: PendingNotice[]): Promise<void> =>
  withDeadline(performance.now() + longestTelling, async () => {
    const isLooked = all.every(({ isWanted }) => isWanted);
    const seen = isLooked ? undefined : isAnyoneToTell();
    const wanted = await Promise.all(all.map(({ isWanted }) => isWanted ?? seen));
    const notices = all.flatMap(({ notice }, at) => (wanted[at] ? inParts(notice) : []));
    await Promise.all(eventsOf(notices).map((event) => carrier?.invoke(event)));
  });

/** The largest event with which a function is invoked, in characters, all of one byte; AWS takes 256 KB. */
const largestEvent = 200_000;
const mostUsers = 4_000;

/** A notice that is about too many users for one event as several. */
function inParts(notice: Notice): Notice[] {
  if (notice.type !== 'gone' || notice.users.length <= mostUsers) return [notice];
  const { users } = notice;
  return [{ ...notice, users: users.slice(0, mostUsers) }, ...inParts({ ...notice, users: users.slice(mostUsers) })];
}

/** The events, as JSON, that have all notices in their order. */
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
