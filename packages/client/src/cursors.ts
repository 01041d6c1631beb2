import type { Event, Id } from './contract.ts';
import { readCursor, writeCursor } from './cursor.ts';

/** What to ask of the service: which rooms of the caller moved `since` a time, or what happened in a room after `after`. */
export type Ask =
  | { kind: 'rooms'; since: string | undefined }
  | { kind: 'events'; room: string; after: number | undefined; epoch: string | undefined };

/** That a room is at `seq` at least; with `events`, they are all that happened after `after` up to there. */
export type RoomMovement = { room: string; epoch?: string; seq: number; after?: number; events?: readonly Event[] };

/** A page of a room's feed, up to `next`, and the epoch in which that counts. */
export type EventPage = { events: readonly Event[]; next: number; epoch?: string | undefined };

/** An event of a room that is followed; to go on after it, give its `cursor` as `after`. */
export type FollowedEvent = Event & { cursor: string };

/** One of the caller's rooms: where it is, and how far the caller has read. */
export type ListedRoom = { room: string; seq: number; lastRead: number };

/** A place in a room's feed, and the epoch in which that counts, as far as the two are known. */
export type Place = { at: number | undefined; epoch: string | undefined };

/** The caller is no longer in a room, or the room is gone. */
export type LeftRoom = { type: 'left'; room: Id };

/**
 * That the service was restored from a backup, and what was yielded of this room may no longer exist. What comes next is
 * what happens after `cursor`: everything up to there is to be read again, as by `GET /api/messages`.
 */
export type Reset = { type: 'reset'; room: Id; cursor: string };

type Settings = {
  /** The room to follow; without it, all of them. */
  only?: string | undefined;
  /** Whether only those of them are followed that `follow` names; of the others it asks where they are. */
  isSelective?: boolean;
  /** The `cursor` of the last event seen in each room, or its `seq`. */
  after?: Readonly<Record<string, string | number>>;
  /** How many milliseconds until the next poll, when so many in a row found nothing. */
  interval: (quiet: number, hadPush: boolean) => number;
  /** Within how many milliseconds to read what a push did not bring: those who hear of it at one moment should not ask at one moment. */
  spread: number;
  /** After how many milliseconds to ask where the rooms are although changes are pushed; without it, never. */
  safetyInterval?: number;
  random?: () => number;
};

/** How far a room is followed, up to where it is known to go on, and when to read that. */
type Cursor = Place & {
  /** Whether the history was replaced, which the iterator is told when it is known where the new one is. */
  isReplaced: boolean;
  wanted: number;
  readAt: number;
  /** How long to wait when the next read finds nothing: what comes first may be on its way. */
  pause: number;
  /** Pushes that came before what they follow. */
  early: (RoomMovement & Required<Pick<RoomMovement, 'after'>>)[];
  /** Whether it is to be read although nothing is known to be missing. */
  isDoubted: boolean;
};

// In milliseconds: how long a push waits for one that it has overtaken, and how long a reader waits where a message is on its way.
const patience = 300;
const firstPause = 250;
const longestPause = 5_000;

/** How many pushes of a room wait for an earlier one, and how many events for the iterator; the rest is read when there is room. */
const mostEarly = 50;
const mostReady = 1_000;

/**
 * Follows rooms without doing anything itself: it is told what came, says what to ask next, and keeps one rule. A cursor moves only over all that
 * happened after it, whether a push or a page has it. So pushes may be lost, doubled or overtake each other. The caller asks one thing at a time.
 */
export class Cursors {
  readonly #settings: Required<Settings>;
  readonly #rooms = new Map<string, Cursor>();
  /** Where rooms were when they were left, from which they are followed on when the caller is in them again. */
  readonly #left = new Map<string, number>();
  #ready: (FollowedEvent | LeftRoom | Reset)[] = [];
  #since: string | undefined;
  #isFirst = true;
  #isConnected = false;
  #hadPush = false;
  /** Whether the positions are to be read because a connection began: what was written before it was not pushed. */
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

  /** Follows a room from a place, or from where its feed is; it is known to have come to `seq`. */
  follow(room: string, { at, epoch }: Place, seq: number, now: number): void {
    this.#rooms.set(room, { ...aCursor(at, epoch), wanted: seq, readAt: now });
  }

  /** Follows a room no longer. */
  unfollow(room: string): void {
    this.#rooms.delete(room);
  }

  /** Up to where a room is followed; undefined of one that is not. */
  placeOf(room: string): Place | undefined {
    return this.#rooms.get(room);
  }

  /** What is new since the last call. */
  take(): (FollowedEvent | LeftRoom | Reset)[] {
    const ready = this.#ready;
    this.#ready = [];
    return ready;
  }

  /** What to ask now, if anything; the answer is to be told by `listed`, `read`, `lost`, `replaced` or `failed`. */
  next(now: number): Ask | undefined {
    if (now < this.#heldUntil) return undefined;
    const { only } = this.#settings;
    // In a room that was to be read before, or at the same time, there may be news for the reader.
    if (only === undefined)
      for (const [room, { readAt }] of this.#rooms) if (readAt <= Math.min(now, this.#pollAt)) return this.#ask(room);
    // What is learnt while the answer is on its way is to be asked again: it may not have it.
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
    // The other rooms' turn is before its next one.
    this.#rooms.delete(room);
    this.#rooms.set(room, cursor);
    return { kind: 'events', room, after: cursor.at, epoch: cursor.epoch };
  }

  /** When there will be something to ask, if nothing comes before. */
  get due(): number {
    const times = [...this.#rooms.values()].map(({ readAt }) => readAt);
    return Math.max(
      this.#heldUntil,
      times.reduce((first, time) => Math.min(first, time), this.#pollAt),
    );
  }

  /** A connection began: everything written from now on is pushed. */
  connected(now: number): void {
    this.#isConnected = this.#hadPush = this.#isUnsynced = true;
    this.#pollAt = now;
  }

  /** It ended. */
  disconnected(now: number): void {
    if (!this.#isConnected) return;
    this.#isConnected = this.#isUnsynced = false;
    // All who were connected to a service that ends learn of it at one moment.
    this.#pollAt = Math.min(this.#pollAt, now + this.#interval() * this.#settings.random());
  }

  /** A room moved, as a push or a pong says. */
  moved({ room, epoch, seq, after, events }: RoomMovement, now: number): void {
    const cursor = this.#rooms.get(room);
    if (!cursor) {
      // Joined meanwhile.
      if (this.#settings.only === undefined && !this.#settings.isSelective) this.#pollAt = Math.min(this.#pollAt, now);
      return;
    }
    // A push that is late, or the first after the history was replaced: the service knows which.
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

  /** A push says that the caller is no longer in a room, or what it says is of another epoch: the room itself has the last word. */
  doubted(room: string, when: number): void {
    const cursor = this.#rooms.get(room);
    if (!cursor) return;
    cursor.isDoubted = true;
    cursor.readAt = Math.min(cursor.readAt, when);
  }

  /** The caller's rooms, or those that moved since the last time. */
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
    // Administrators read rooms in which they are not: what happens there is pushed to members alone.
    if (only !== undefined && !rooms.some(({ room }) => room === only)) this.#isConnected = false;
    if (only === undefined) this.#polled(now);
    else if (!this.#isConnected) this.#pollAt = now;
  }

  /** What happened in a room after `after`, the cursor of the question, up to `next`. */
  read(room: string, after: number | undefined, { events, next, epoch }: EventPage, now: number): void {
    const cursor = this.#rooms.get(room);
    if (!cursor) return;
    // An answer to a question from before the room was followed again, from another place.
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

  /** The room is closed to the caller. */
  lost(room: string, now: number): void {
    const at = this.#rooms.get(room)?.at;
    if (at !== undefined) this.#left.set(room, at);
    if (this.#rooms.delete(room)) this.#ready.push({ type: 'left', room: { $oid: room } });
    // Unless the caller was let in again meanwhile.
    if (this.#settings.only === undefined) this.#pollAt = Math.min(this.#pollAt, now);
  }

  /** The question was about a place in a history that was replaced: of this room, or of all. */
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

  /** A question was not answered; returns in how many milliseconds to ask again, which the service may have said. */
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

  /** Asks at once: what happened in a room that is followed, or else where the rooms are. */
  wake(now: number, room?: string): void {
    this.#quiet = 0;
    this.#heldUntil = Number.NEGATIVE_INFINITY;
    if (room !== undefined && this.#rooms.has(room)) this.doubted(room, now);
    else this.#pollAt = now;
  }

  /** Asks where the rooms are at some moment within so many milliseconds: not with all others who learn of the same. */
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

  /** Moves a cursor over what follows it, and over what came early and follows that. */
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
