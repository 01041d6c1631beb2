import { randomUUID } from 'node:crypto';
import { describeError, log } from '../../../lib/base/log.ts';
import { showPerson, showStated } from '../../../lib/identity/persons.ts';
import type { PresentPerson, ServerNotice } from '../../../lib/notices/notices.ts';
import { encode } from '../../../lib/push/encode.ts';
import type { ServerFrame } from '../../../lib/push/frames.ts';
import { readMembersOf, readPerson } from '../../../lib/push/news.ts';
import type { Follower, Room } from './audience.ts';
import type { Connection } from './connection.ts';

/** Durations in milliseconds. */
export type PresenceTimes = {
  /** Interval at which connections and other processes receive changes. */
  round: number;
  /** How long a user stays active after an action. */
  active: number;
  /**
   * How long a user keeps the previous state after the last connection has ended. A page that is
   * reloaded reconnects within this time.
   */
  grace: number;
};
const usualTimes: PresenceTimes = { round: 3_000, active: 5 * 60_000, grace: 15_000 };

/** A round handles the connections in this many parts, so that requests run in between. */
const parts = 3;

/**
 * After this number of rounds, the states of all users are sent again. Users whose state was not
 * repeated are forgotten then, because their process was killed.
 */
const roundsToRepeat = 4;
const roundsToForget = 10;

/** Limit of rooms whose members are read in one round. */
const roomsAtOnce = 100;

type PresenceNotice = ServerNotice & { type: 'presence' };
type PresenceFrame = ServerFrame & { type: 'presence' };

/**
 * The users connected to this process, and a way to read from the database with limited
 * concurrency.
 */
type ConnectedUsers = { followers: ReadonlyMap<string, Follower>; read: <T>(work: () => Promise<T>) => Promise<T> };

/** The state of a user that others see. */
type State = PresentPerson['state'];

/** A user who is connected to another process. */
type Elsewhere = { isActive: boolean; blocked: Set<string>; until: number };

/**
 * Decides who may see a user: not the users that the user has blocked, and only followers who share
 * a room (`meets`).
 */
type Subject = { isShown: boolean; blocked: Set<string>; meets: (watcher: Follower) => boolean };

/**
 * Shows which connected users are active. Watchers must share a room with the user, and neither may
 * have blocked the other. Presence is not stored, except in notices between servers.
 */
export class Presence {
  readonly #hub: ConnectedUsers;
  readonly #tell: ((notice: PresenceNotice) => void) | undefined;
  readonly #times: PresenceTimes;
  readonly #process = randomUUID();
  /**
   * Users who are connected here, or were until recently: the time of their last action, and the
   * time they left.
   */
  readonly #people = new Map<string, { activeAt: number; leftAt: number }>();
  /** Users connected to other processes, by user and process. */
  readonly #elsewhere = new Map<string, Map<string, Elsewhere>>();
  /** The states last sent to other processes. */
  readonly #told = new Map<string, string>();
  #part = 0;
  #round = 0;
  #asks = true;

  /** `tell` sends a notice to the other processes, if there are any. */
  constructor(hub: ConnectedUsers, times: Partial<PresenceTimes> = {}, tell?: (notice: PresenceNotice) => void) {
    this.#hub = hub;
    this.#times = { ...usualTimes, ...times };
    this.#tell = tell;
  }

  /** Starts the rounds. Returns a function that stops them. */
  start(): () => void {
    const timer = setInterval(() => this.#tick(performance.now()), this.#times.round / parts).unref();
    return () => clearInterval(timer);
  }

  /** A user has connected here. */
  came(user: string): void {
    const activeAt = this.#people.get(user)?.activeAt ?? Number.NEGATIVE_INFINITY;
    if (this.#people.size === 0) this.#asks = true;
    this.#people.set(user, { activeAt, leftAt: Number.POSITIVE_INFINITY });
  }

  /** A user's last connection here has ended. `isForGood` is true after a sign-out. */
  left(user: string, { isForGood }: { isForGood: boolean }): void {
    const person = this.#people.get(user);
    if (isForGood) this.#people.delete(user);
    else if (person) person.leftAt = performance.now();
  }

  /** Records an action of a user. */
  noteActivity(user: string): void {
    const person = this.#people.get(user);
    if (person) person.activeAt = performance.now();
  }

  /** Replaces the users that a connection watches. Returns the states of all of them. */
  watch(follower: Follower, connection: Connection, users: string[]): PresenceFrame {
    const known = connection.watched;
    connection.watched = new Map(users.map((user) => [user, known.get(user)]));
    return this.#news(follower, connection, performance.now(), { ofAll: true });
  }

  /** Handles the states that another process sends for its users. */
  hear({ process, people, asks }: PresenceNotice): void {
    if (asks) this.#told.clear();
    const until = performance.now() + roundsToForget * this.#times.round;
    for (const { user, state, blocked } of people) {
      const known = this.#elsewhere.get(user) ?? new Map<string, Elsewhere>();
      if (state === 'offline') known.delete(process);
      else known.set(process, { isActive: state === 'active', blocked: new Set(blocked), until });
      if (known.size > 0) this.#elsewhere.set(user, known);
      else this.#elsewhere.delete(user);
    }
  }

  /** Sends a user's changed name and profile to the watchers of that user. */
  changed(user: string): void {
    const watches = ({ connections }: Follower) => [...connections].some(({ watched }) => watched.has(user));
    if ([...this.#hub.followers.values()].some(watches))
      this.#tellOf(user).catch((error) => log('error', 'person not read', { error: describeError(error) }));
  }

  async #tellOf(user: string): Promise<void> {
    const found = await this.#hub.read(() => readPerson(user));
    if (!found) return;
    const of = { type: 'person', user: { $oid: user } } as const;
    const frame = encode({ ...of, ...showStated(found.person) });
    // For people whom the user has blocked.
    const withoutStatus = encode({ ...of, ...showPerson(found.person) });
    for (const { id: watcher, connections, rooms } of this.#hub.followers.values())
      for (const connection of connections)
        if (connection.watched.has(user) && [...rooms].some(({ id }) => found.rooms.has(id)))
          connection.sendEphemeral(found.blocked.has(watcher) ? withoutStatus : frame, 'presence');
  }

  #tick(now: number): void {
    this.#part = (this.#part + 1) % parts;
    if (this.#part === 0) {
      this.#round++;
      this.#forget(now);
      if (this.#tell) this.#tellOthers(this.#tell, now);
      void this.#readMembers();
    }
    let at = 0;
    for (const follower of this.#hub.followers.values()) {
      if (at++ % parts !== this.#part) continue;
      for (const connection of follower.connections) this.#look(follower, connection, now);
    }
  }

  #look(follower: Follower, connection: Connection, now: number): void {
    // A slow client receives the current state once it has caught up.
    if (connection.watched.size === 0 || connection.isBehind) return;
    const frame = this.#news(follower, connection, now);
    if (frame.active.length + frame.away.length + frame.offline.length > 0) connection.sendEphemeral(encode(frame), 'presence');
  }

  /** The states that have changed since they were last sent to a connection, or all. */
  #news(follower: Follower, { watched }: Connection, now: number, { ofAll = false } = {}): PresenceFrame {
    const frame: PresenceFrame = { type: 'presence', active: [], away: [], offline: [] };
    for (const [user, told] of watched) {
      const state = this.#shownTo(follower, user, now) ?? told ?? 'offline';
      if (state === told && !ofAll) continue;
      watched.set(user, state);
      frame[state].push({ $oid: user });
    }
    return frame;
  }

  /**
   * The state of a user as a follower sees it; `undefined` while it is unknown, because the user
   * may be about to reconnect.
   */
  #shownTo(watcher: Follower, user: string, now: number): State | undefined {
    const state = this.#stateOf(user, now);
    if (state === 'offline') return state;
    const subject = this.#subjectOf(user);
    if (!subject) return undefined;
    const isBlocked = !watcher.account || watcher.account.blocked.has(user) || subject.blocked.has(watcher.id);
    return subject.isShown && !isBlocked && subject.meets(watcher) ? state : 'offline';
  }

  #stateOf(user: string, now: number): State {
    const [here, elsewhere] = [this.#people.get(user), [...(this.#elsewhere.get(user)?.values() ?? [])]];
    if (!here && elsewhere.length === 0) return 'offline';
    return this.#isActive(here, now) || elsewhere.some(({ isActive }) => isActive) ? 'active' : 'away';
  }

  #isActive(person: { activeAt: number } | undefined, now: number): boolean {
    return person !== undefined && now - person.activeAt < this.#times.active;
  }

  #subjectOf(user: string): Subject | undefined {
    const here = this.#hub.followers.get(user);
    if (here?.account) return { ...here.account, meets: ({ rooms }) => haveCommon(rooms, here.rooms) };
    const [elsewhere] = this.#elsewhere.get(user)?.values() ?? [];
    const meets = ({ rooms }: Follower) => [...rooms].some(({ members }) => members?.has(user));
    return elsewhere && { isShown: true, blocked: elsewhere.blocked, meets };
  }

  #forget(now: number): void {
    for (const [user, { leftAt }] of this.#people) if (now - leftAt > this.#times.grace) this.#people.delete(user);
    for (const [user, processes] of this.#elsewhere) {
      for (const [process, { until }] of processes) if (now > until) processes.delete(process);
      if (processes.size === 0) this.#elsewhere.delete(user);
    }
  }

  /**
   * Sends changed states to the other processes, and unchanged ones from time to time in case a
   * notice was lost.
   */
  #tellOthers(tell: (notice: PresenceNotice) => void, now: number): void {
    const people: PresentPerson[] = [];
    const say = (person: PresentPerson, isRepeated: boolean) => {
      const text = JSON.stringify(person);
      if (!isRepeated && this.#told.get(person.user) === text) return;
      people.push(person);
      if (person.state === 'offline') this.#told.delete(person.user);
      else this.#told.set(person.user, text);
    };
    for (const user of this.#told.keys()) if (!this.#people.has(user)) say({ user, state: 'offline', blocked: [] }, false);
    let at = this.#round;
    for (const [user, person] of this.#people) {
      const account = this.#hub.followers.get(user)?.account;
      const isRepeated = at++ % roundsToRepeat === 0;
      if (account?.isShown)
        say({ user, state: this.#isActive(person, now) ? 'active' : 'away', blocked: [...account.blocked] }, isRepeated);
      else if (account && this.#told.has(user)) say({ user, state: 'offline', blocked: [] }, false);
    }
    const asks = this.#asks && this.#people.size > 0;
    if (people.length > 0 || asks) tell({ type: 'presence', process: this.#process, people, ...(asks && { asks }) });
    if (asks) this.#asks = false;
  }

  /**
   * Reads the members of rooms whose followers watch somebody. Later, the news of a room update
   * them.
   */
  async #readMembers(): Promise<void> {
    if (this.#elsewhere.size === 0) return;
    const asked = new Map<Room, Set<string>>();
    for (const { connections, rooms } of this.#hub.followers.values()) {
      if (![...connections].some(({ watched }) => watched.size > 0)) continue;
      for (const room of rooms) if (!room.members && asked.size < roomsAtOnce) asked.set(room, new Set());
    }
    if (asked.size === 0) return;
    for (const [room, nobody] of asked) room.members = nobody;
    const found = await this.#hub.read(() => readMembersOf([...asked.keys()].map(({ id }) => id))).catch(() => undefined);
    // Members from the room's news are newer.
    for (const [room, nobody] of asked) if (room.members === nobody) room.members = found?.get(room.id);
  }
}

/** True if two sets intersect. Iterates over the smaller one. */
function haveCommon<T>(one: ReadonlySet<T>, other: ReadonlySet<T>): boolean {
  const [few, many] = one.size < other.size ? [one, other] : [other, one];
  for (const thing of few) if (many.has(thing)) return true;
  return false;
}
