import type { Event, Id } from './contract.ts';
import { readCursor, writeCursor } from './cursor.ts';

/**
 * The next request to the service: the rooms of the caller that changed `since` a time, or the
 * events of a room after `after`.
 */
export type Ask =
  | { kind: 'rooms'; since: string | undefined }
  | { kind: 'events'; room: string; after: number | undefined; epoch: string | undefined };

/**
 * A room has reached at least `seq`. If `events` is set, they are all events after `after` up to
 * there.
 */
export type RoomMovement = { room: string; epoch?: string; seq: number; after?: number; events?: readonly Event[] };

/** A page of a room's feed, up to the place `next`, and the epoch of these places. */
export type EventPage = { events: readonly Event[]; next: number; epoch?: string | undefined };

/** An event of a followed room. To continue after it, pass its `cursor` as `after`. */
export type FollowedEvent = Event & { cursor: string };

/** One of the caller's rooms, with its position and the caller's read marker. */
export type ListedRoom = { room: string; seq: number; lastRead: number };

/** A place in a room's feed and its epoch, as far as they are known. */
export type Place = { at: number | undefined; epoch: string | undefined };

/** The caller has left a room, or the room was deleted. */
export type LeftRoom = { type: 'left'; room: Id };

/**
 * The service was restored from a backup, so earlier events of this room may no longer exist. The
 * stream continues after `cursor`. Read everything up to there again, e.g. with `GET
 * /api/messages`.
 */
export type Reset = { type: 'reset'; room: Id; cursor: string };

type Settings = {
  /** The room to follow; without it, all rooms are followed. */
  only?: string | undefined;
  /**
   * True if only rooms passed to `follow` are followed. The positions of the others are still
   * requested.
   */
  isSelective?: boolean;
  /** The `cursor` of the last event seen in each room, or its `seq`. */
  after?: Readonly<Record<string, string | number>>;
  /** The milliseconds until the next poll, after `quiet` polls without news. */
  interval: (quiet: number, hadPush: boolean) => number;
  /**
   * The longest random delay before news is read that a push announced without its events, in
   * milliseconds. It keeps clients from sending their requests at the same time.
   */
  spread: number;
  /**
   * The milliseconds between checks of the rooms' positions while changes are pushed. Without it,
   * the positions are not checked.
   */
  safetyInterval?: number;
  random?: () => number;
};

/** The position of a followed room, the known end of its feed, and the time of the next read. */
type Cursor = Place & {
  /**
   * True if the history was replaced. The iterator gets a `Reset` once the new position is known.
   */
  isReplaced: boolean;
  wanted: number;
  readAt: number;
  /** The delay if the next read returns nothing: the event may still be on its way. */
  pause: number;
  /** Pushes that arrived before the events they follow. */
  early: (RoomMovement & Required<Pick<RoomMovement, 'after'>>)[];
  /** True if the room must be read although nothing is known to be missing. */
  isDoubted: boolean;
};

// The delays in milliseconds. A push waits for `patience` for an earlier one. A reader waits for
// the pauses while a message is on its way.
const patience = 300;
const firstPause = 250;
const longestPause = 5_000;

/**
 * The most pushes of a room that wait for an earlier one, and the most events that wait for the
 * iterator. The rest is read later.
 */
const mostEarly = 50;
const mostReady = 1_000;

/**
 * Decides how rooms are followed, without any I/O. It gets the received data and returns the next
 * request. Its one rule is that a cursor only moves over a complete sequence of events, from a push
 * or a page. So pushes may be lost, duplicated or reordered. The caller sends one request at a
 * time.
 */
export class Cursors {
  readonly #settings: Required<Settings>;
  readonly #rooms = new Map<string, Cursor>();
  /**
   * The positions of rooms that the caller has left, where following resumes if the caller joins
   * again.
   */
  readonly #left = new Map<string, number>();
  #ready: (FollowedEvent | LeftRoom | Reset)[] = [];
  #since: string | undefined;
  #isFirst = true;
  #isConnected = false;
  #hadPush = false;
  /**
   * True if the positions must be read because a connection has just begun: earlier changes were
   * not pushed.
   */
  #isUnsynced = false;
  #pollAt = Number.NEGATIVE_INFINITY;
  #heldUntil = Number.NEGATIVE_INFINITY;
  #quiet = 0;

  constructor({ only, after = {}, ...settings }: Settings) {
    const defaults = { isSelective: false, safetyInterval: Number.POSITIVE_INFINITY, random: Math.random };
    this.#settings = { ...defaults, only: only as string, after, ...settings };
    for (const [room, cursor] of Object.entries(after)) {
      const { epoch, at } = readCursor(String(cursor));
      this.#rooms.set(room, aCursor(Number(at), epoch));
    }
    if (only !== undefined && !this.#rooms.has(only)) this.#rooms.set(only, aCursor(undefined));
  }

  /** Follows a room from a place, or from the present end of its feed, which is at least `seq`. */
  follow(room: string, { at, epoch }: Place, seq: number, now: number): void {
    this.#rooms.set(room, { ...aCursor(at, epoch), wanted: seq, readAt: now });
  }

  /** Stops following a room. */
  unfollow(room: string): void {
    this.#rooms.delete(room);
  }

  /** The position of a followed room; otherwise undefined. */
  placeOf(room: string): Place | undefined {
    return this.#rooms.get(room);
  }

  /** Returns the news since the last call. */
  take(): (FollowedEvent | LeftRoom | Reset)[] {
    const ready = this.#ready;
    this.#ready = [];
    return ready;
  }

  /**
   * The next request, if there is one. Its result goes to `listed`, `read`, `lost`, `replaced` or
   * `failed`.
   */
  next(now: number): Ask | undefined {
    if (now < this.#heldUntil) return undefined;
    const { only } = this.#settings;
    // Rooms that are due no later than the poll go first: they may have news for the reader.
    if (only === undefined)
      for (const [room, { readAt }] of this.#rooms) if (readAt <= Math.min(now, this.#pollAt)) return this.#ask(room);
    // A change that is announced while this request is in progress sets the time of the next poll
    // again: the response may not include it.
    if (this.#pollAt <= now) {
      this.#pollAt = Number.POSITIVE_INFINITY;
      if (only !== undefined && !this.#isUnsynced) return this.#ask(only);
      this.#isUnsynced = false;
      return { kind: 'rooms', since: only === undefined ? this.#since : undefined };
    }
    for (const [room, { readAt }] of this.#rooms) if (readAt <= now) return this.#ask(room);
    return undefined;
  }

  #ask(room: string): Ask {
    const cursor = this.#rooms.get(room) as Cursor;
    cursor.readAt = Number.POSITIVE_INFINITY;
    cursor.isDoubted = false;
    // The other rooms have their turn before its next one.
    this.#rooms.delete(room);
    this.#rooms.set(room, cursor);
    return { kind: 'events', room, after: cursor.at, epoch: cursor.epoch };
  }

  /** The time of the next request, if nothing happens before. */
  get due(): number {
    const times = [...this.#rooms.values()].map(({ readAt }) => readAt);
    return Math.max(
      this.#heldUntil,
      times.reduce((first, time) => Math.min(first, time), this.#pollAt),
    );
  }

  /** A connection has begun: all changes from now on are pushed. */
  connected(now: number): void {
    this.#isConnected = this.#hadPush = this.#isUnsynced = true;
    this.#pollAt = now;
  }

  /** The connection has ended. */
  disconnected(now: number): void {
    if (!this.#isConnected) return;
    this.#isConnected = this.#isUnsynced = false;
    // All clients lose their connections at the same time when a service stops, so each polls at a
    // random time.
    this.#pollAt = Math.min(this.#pollAt, now + this.#interval() * this.#settings.random());
  }

  /** A push or a pong states that a room has moved. */
  moved({ room, epoch, seq, after, events }: RoomMovement, now: number): void {
    const cursor = this.#rooms.get(room);
    if (!cursor) {
      // The caller has just joined the room.
      if (this.#settings.only === undefined && !this.#settings.isSelective) this.#pollAt = Math.min(this.#pollAt, now);
      return;
    }
    // The push is late, or is the first after the history was replaced. The service knows which.
    if (epoch !== cursor.epoch) {
      this.doubted(room, now + this.#settings.spread * this.#settings.random());
      return;
    }
    cursor.wanted = Math.max(cursor.wanted, seq);
    const isUseful = events !== undefined && after !== undefined && this.#ready.length < mostReady;
    if (isUseful && cursor.at !== undefined && after <= cursor.at) this.#apply(cursor, { seq, events });
    else if (isUseful && cursor.early.length < mostEarly) cursor.early.push({ room, seq, after, events });
    const wait = isUseful ? patience : this.#settings.spread * this.#settings.random();
    if (!isCaughtUp(cursor)) cursor.readAt = Math.min(cursor.readAt, now + wait);
  }

  /**
   * A push states that the caller has left a room, or it has another epoch. The room is read to
   * find out.
   */
  doubted(room: string, when: number): void {
    const cursor = this.#rooms.get(room);
    if (!cursor) return;
    cursor.isDoubted = true;
    cursor.readAt = Math.min(cursor.readAt, when);
  }

  /** The response with the caller's rooms, or with those that changed since the last time. */
  listed(rooms: readonly ListedRoom[], since: string | undefined, now: number): void {
    const { epoch } = readCursor(since ?? '');
    const { only, isSelective } = this.#settings;
    for (const { room, seq, lastRead } of rooms) {
      if (only !== undefined && room !== only) continue;
      const known = this.#rooms.get(room);
      if (!known && isSelective) continue;
      const left = this.#left.get(room);
      const cursor = known ?? aCursor(this.#isFirst && left === undefined ? seq : Math.max(lastRead, left ?? 0), epoch);
      if (!known) this.#rooms.set(room, cursor);
      if (cursor.epoch !== epoch && since !== undefined) {
        this.doubted(room, now);
        continue;
      }
      cursor.wanted = Math.max(cursor.wanted, seq);
      if (!isCaughtUp(cursor)) cursor.readAt = Math.min(cursor.readAt, now);
    }
    this.#since = since ?? this.#since;
    this.#isFirst = false;
    // Administrators read rooms without being members, but changes are only pushed to members.
    if (only !== undefined && !rooms.some(({ room }) => room === only)) this.#isConnected = false;
    if (only === undefined) this.#polled(now);
    else if (!this.#isConnected) this.#pollAt = now;
  }

  /**
   * The response with the events of a room after `after`, the cursor of the request, up to `next`.
   */
  read(room: string, after: number | undefined, { events, next, epoch }: EventPage, now: number): void {
    const cursor = this.#rooms.get(room);
    if (!cursor) return;
    // The request was sent before the room was followed again from another place.
    const isOfOther = epoch !== undefined && cursor.epoch !== undefined && epoch !== cursor.epoch;
    if (isOfOther || (after ?? 0) > (cursor.at ?? Number.POSITIVE_INFINITY)) {
      this.doubted(room, now);
      return;
    }
    const isNew = after !== undefined && next > after;
    cursor.at ??= next;
    cursor.epoch = epoch;
    if (cursor.isReplaced) this.#ready.push({ type: 'reset', room: { $oid: room }, cursor: writeCursor(cursor) });
    cursor.isReplaced = false;
    this.#apply(cursor, { seq: next, events });
    if (isNew) cursor.pause = firstPause;
    if (!isCaughtUp(cursor)) {
      cursor.readAt = Math.min(cursor.readAt, isNew ? now : now + cursor.pause);
      if (!isNew) cursor.pause = Math.min(longestPause, cursor.pause * 2);
    }
    if (this.#isConnected) return;
    if (isNew) {
      this.#quiet = 0;
      this.#pollAt = now;
    } else if (this.#settings.only !== undefined) this.#polled(now);
  }

  /** The caller cannot read the room. */
  lost(room: string, now: number): void {
    const at = this.#rooms.get(room)?.at;
    if (at !== undefined) this.#left.set(room, at);
    if (this.#rooms.delete(room)) this.#ready.push({ type: 'left', room: { $oid: room } });
    // The caller may have joined again in the meantime.
    if (this.#settings.only === undefined) this.#pollAt = Math.min(this.#pollAt, now);
  }

  /** The request's position is in a history that was replaced, of this room or of all rooms. */
  replaced(ask: Ask, now: number): void {
    this.#left.clear();
    if (ask.kind === 'rooms') {
      this.#since = undefined;
      this.#pollAt = now;
      for (const room of this.#rooms.keys()) this.doubted(room, now);
    } else if (this.#rooms.has(ask.room)) {
      this.#rooms.set(ask.room, { ...aCursor(undefined), isReplaced: true, readAt: now });
    }
  }

  /**
   * A request failed. Returns the milliseconds until the next attempt, which the service may have
   * set.
   */
  failed(ask: Ask, now: number, pause?: number): number {
    if (ask.kind === 'rooms') this.#isUnsynced = this.#isConnected;
    const cursor = ask.kind === 'events' ? this.#rooms.get(ask.room) : undefined;
    if (cursor) cursor.readAt = now;
    if (!cursor || this.#settings.only !== undefined) this.#pollAt = now;
    this.#quiet++;
    const wait = pause ?? this.#interval();
    this.#heldUntil = now + wait;
    return wait;
  }

  /** Requests immediately: the events of a followed room, or else the positions of the rooms. */
  wake(now: number, room?: string): void {
    this.#quiet = 0;
    this.#heldUntil = Number.NEGATIVE_INFINITY;
    if (room !== undefined && this.#rooms.has(room)) this.doubted(room, now);
    else this.#pollAt = now;
  }

  /**
   * Requests the rooms' positions at a random time within this many milliseconds, so that clients
   * do not all send their requests at the same time.
   */
  wakeWithin(milliseconds: number, now: number): void {
    if (this.#pollAt > now + milliseconds) this.#pollAt = now + milliseconds * this.#settings.random();
  }

  #polled(now: number): void {
    if (!this.#isConnected) this.#quiet++;
    const wait = this.#isConnected ? this.#settings.safetyInterval : this.#interval();
    this.#pollAt = Math.min(this.#pollAt, now + wait);
  }

  #interval(): number {
    return this.#settings.interval(this.#quiet, this.#hadPush);
  }

  /** Moves a cursor over the events that follow it, and over early pushes that follow those. */
  #apply(cursor: Cursor, first: Pick<RoomMovement, 'seq' | 'events'>): void {
    for (let next: typeof first | undefined = first; next; ) {
      const at = cursor.at as number;
      for (const event of next.events ?? []) {
        const cursorOfEvent = writeCursor({ epoch: cursor.epoch, at: event.seq });
        if (event.seq > at) this.#ready.push({ ...event, cursor: cursorOfEvent });
      }
      cursor.at = Math.max(at, next.seq);
      cursor.early = cursor.early.filter(({ seq }) => seq > (cursor.at as number));
      next = cursor.early.find(({ after }) => after <= (cursor.at as number));
    }
    if (!isCaughtUp(cursor)) return;
    if (!cursor.isDoubted) cursor.readAt = Number.POSITIVE_INFINITY;
    cursor.pause = firstPause;
  }
}

const aCursor = (at: number | undefined, epoch?: string): Cursor => ({
  at,
  epoch,
  isReplaced: false,
  wanted: 0,
  readAt: Number.POSITIVE_INFINITY,
  pause: firstPause,
  early: [],
  isDoubted: false,
});

const isCaughtUp = ({ at, wanted }: Cursor) => at !== undefined && at >= wanted;
