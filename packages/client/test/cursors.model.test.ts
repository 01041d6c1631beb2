import { array, assert, boolean, check, constantFrom, nat, property, record } from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Event } from '../src/contract.ts';
import { type Ask, Cursors, type ListedRoom, type Place } from '../src/cursors.ts';

/*
 * A model of push, without a network or a database. It has writers, their pushes, a connection, and
 * the part of the client that decides. Its steps happen in any order, and each writer may die
 * between any two of its steps:
 *
 * - A writer reserves a place, stores its event, asks who is connected, and pushes.
 * - A connection is recorded as open. Then the client gets the hello and reads the positions of its
 *   rooms.
 * - The client follows one room, or all of its rooms, or, like the page, the room that is open. The
 *   page opens one room after the other, resumes each where it was, and reads it after each push.
 */

/** The number of random courses; CURSOR_MODEL_RUNS sets another. */
const numRuns = Number(process.env.CURSOR_MODEL_RUNS ?? 3_000);

const rooms = ['garden', 'kitchen', 'attic'];

const orderly = [
  'take',
  'take',
  'store',
  'ask',
  'push',
  'connect',
  'greet',
  'deliver',
  'deliver',
  'question',
  'answer',
  'receive',
  'open',
];
const disorderly = ['crash', 'close', 'lose', 'double', 'drop', 'fail', 'ping', 'leave', 'join', 'wait', 'wake'];

const courseOf = (kinds: string[]) =>
  record({
    steps: array(record({ kind: constantFrom(...kinds), which: nat() }), { maxLength: 120, size: 'max' }),
    follows: constantFrom('all', 'one', 'the open one'),
    isFromStart: boolean(),
    end: constantFrom('ping', 'reconnect', 'poll'),
  });
type Course = { steps: { kind: string; which: number }[]; follows: string; isFromStart: boolean; end: string };

/**
 * The content of a place in a room's feed. It is empty until its event is stored, and void if that
 * never happens.
 */
type Content = 'empty' | 'abandoned' | 'event' | 'void';
type Room = { places: Content[]; isMine: boolean; marker: number; movedAt: number; start: number | undefined };
type Writer = { room: string; seq: number | undefined; isStored: boolean; hasAsked: boolean; audience: number | undefined };
type Frame =
  | { kind: 'hello' }
  | { kind: 'room'; room: string; seq: number; after?: number; events?: Event[] }
  | { kind: 'left'; room: string }
  | { kind: 'pong'; positions: [room: string, seq: number][] };
type Reply = { rooms: ListedRoom[]; since: string } | { events: Event[]; next: number } | 'closed';

/** The steps that a careless change could swap. */
type Mistake = 'none' | 'asks who is connected before it takes its place' | 'reads the positions before it is recorded as open';

class World {
  readonly feeds = new Map<string, Room>();
  readonly log = new Map<string, number[]>(rooms.map((room) => [room, []]));
  readonly cursors: Cursors;
  /** The rooms that are followed from the beginning. */
  readonly given: Set<string>;
  readonly only: string | undefined;
  readonly mistake: Mistake;
  writers: Writer[] = [];
  wire: { connection: number; frame: Frame }[] = [];
  connection: { id: number; isOpen: boolean } | undefined;
  asking: { ask: Ask; reply?: Reply } | undefined;
  now = 0;
  moves = 0;
  connections = 0;
  hasListed = false;
  /**
   * State of a client that follows only the open room: that room, the position in each opened room,
   * and the positions in the list.
   */
  readonly isSelective: boolean;
  opened: string | undefined;
  readonly kept = new Map<string, Place>();
  readonly positions = new Map<string, number>();

  constructor({ follows, isFromStart }: Course, mistake: Mistake) {
    const only = follows === 'one';
    this.mistake = mistake;
    this.only = only ? rooms[0] : undefined;
    this.isSelective = follows === 'the open one';
    this.given = new Set(isFromStart && !this.isSelective ? rooms.slice(0, only ? 1 : 2) : []);
    for (const [at, room] of rooms.entries())
      this.feeds.set(room, { places: [], isMine: at < 2, marker: 0, movedAt: 0, start: this.given.has(room) ? 0 : undefined });
    const after = Object.fromEntries([...this.given].map((room) => [room, 0]));
    const settings = { interval: () => 1_000, spread: 2_000, random: () => 0.5 };
    this.cursors = new Cursors({ only: this.only, isSelective: this.isSelective, after, ...settings });
  }

  feed(room: string): Room {
    return this.feeds.get(room) as Room;
  }

  step(kind: string, which: number): void {
    const room = rooms[which % rooms.length] as string;
    const writer = this.writers[which % (this.writers.length || 1)];
    if (kind === 'take') this.begin(room);
    else if (kind === 'store' && writer) this.store(writer);
    else if (kind === 'ask' && writer) this.ask(writer);
    else if (kind === 'push' && writer) this.push(writer, which);
    else if (kind === 'crash' && writer) this.crash(writer);
    else if (kind === 'close') this.close(room);
    else if (kind === 'connect') this.connect();
    else if (kind === 'greet') this.greet();
    else if (kind === 'deliver') this.deliver(which, false);
    else if (kind === 'double') this.deliver(which, true);
    else if (kind === 'lose') this.wire.splice(which % (this.wire.length || 1), 1);
    else if (kind === 'drop') this.drop();
    else if (kind === 'ping') this.ping();
    else if (kind === 'leave' && room !== this.only) this.leave(room);
    else if (kind === 'join') this.join(room);
    else if (kind === 'question') this.question();
    else if (kind === 'answer') this.answer();
    else if (kind === 'receive') this.receive();
    else if (kind === 'fail') this.fail();
    else if (kind === 'open' && this.isSelective) this.open(room);
    else if (kind === 'wait') this.now += which % 3_000;
    else if (kind === 'wake') this.cursors.wake(this.now, which % 2 ? room : undefined);
    this.iterate();
  }

  // The writer.

  begin(room: string): void {
    const writer: Writer = { room, seq: undefined, isStored: false, hasAsked: false, audience: undefined };
    this.writers.push(writer);
    if (this.mistake === 'asks who is connected before it takes its place') this.ask(writer, true);
    else this.take(writer);
  }

  take(writer: Writer): void {
    writer.seq = this.place(writer.room, 'empty');
  }

  place(room: string, what: Content): number {
    const feed = this.feed(room);
    feed.movedAt = ++this.moves;
    return feed.places.push(what);
  }

  store(writer: Writer): void {
    if (writer.seq === undefined) this.take(writer);
    this.feed(writer.room).places[(writer.seq as number) - 1] = 'event';
    writer.isStored = true;
  }

  ask(writer: Writer, isTooEarly = false): void {
    if (writer.hasAsked || (writer.seq === undefined && !isTooEarly)) return;
    writer.hasAsked = true;
    writer.audience = this.connection?.isOpen ? this.connection.id : undefined;
  }

  /**
   * Pushes the events after some earlier place up to its own, unless there is a gap. Otherwise
   * pushes only its own event, or just the position.
   */
  push(writer: Writer, which: number): void {
    const { room, seq, isStored, hasAsked, audience } = writer;
    if (!isStored || !hasAsked || seq === undefined) return;
    this.writers.splice(this.writers.indexOf(writer), 1);
    const { isMine, places } = this.feed(room);
    if (audience === undefined || !isMine) return;
    const from = seq - 1 - (which % seq);
    const isWhole = places.slice(from, seq).every((place) => place === 'event' || place === 'void');
    const after = isWhole ? from : seq - 1;
    const events = this.between(room, after, seq);
    const frame: Frame = which % 5 === 0 ? { kind: 'room', room, seq } : { kind: 'room', room, seq, after, events };
    this.wire.push({ connection: audience, frame });
  }

  crash(writer: Writer): void {
    this.writers.splice(this.writers.indexOf(writer), 1);
    const { places } = this.feed(writer.room);
    if (writer.seq !== undefined && !writer.isStored) places[writer.seq - 1] = 'abandoned';
  }

  /** Readers close a gap that nothing can fill. */
  close(room: string): void {
    const feed = this.feed(room);
    feed.places = feed.places.map((place) => (place === 'abandoned' ? 'void' : place));
  }

  between(room: string, after: number, upTo: number): Event[] {
    const { places } = this.feed(room);
    const seqs = places.flatMap((place, at) => (place === 'event' && at >= after && at < upTo ? [at + 1] : []));
    return seqs.map((seq) => ({ seq, room: { $oid: room } }) as Event);
  }

  // The connection.

  connect(): void {
    if (this.connection) return;
    this.connection = { id: ++this.connections, isOpen: false };
    if (this.mistake === 'reads the positions before it is recorded as open') this.cursors.connected(this.now);
  }

  greet(): void {
    if (!this.connection || this.connection.isOpen) return;
    this.connection.isOpen = true;
    this.wire.push({ connection: this.connection.id, frame: { kind: 'hello' } });
  }

  drop(): void {
    if (!this.connection) return;
    this.connection = undefined;
    this.cursors.disconnected(this.now);
  }

  ping(): void {
    if (!this.connection?.isOpen) return;
    const positions = rooms
      .filter((room) => this.feed(room).isMine)
      .map((room) => [room, this.feed(room).places.length] as const);
    const frame: Frame = { kind: 'pong', positions: positions.map(([room, seq]) => [room, seq]) };
    this.wire.push({ connection: this.connection.id, frame });
  }

  /**
   * Delivers any frame, in any order. It may arrive after its connection has ended, unless it is
   * the hello.
   */
  deliver(which: number, isKept: boolean): void {
    const at = which % (this.wire.length || 1);
    const sent = this.wire[at];
    if (!sent) return;
    if (!isKept) this.wire.splice(at, 1);
    const { frame } = sent;
    if (frame.kind === 'room') this.cursors.moved(frame, this.now);
    else if (frame.kind === 'left') this.cursors.doubted(frame.room, this.now);
    else if (frame.kind === 'pong') for (const [room, seq] of frame.positions) this.cursors.moved({ room, seq }, this.now);
    else if (sent.connection === this.connection?.id && this.mistake !== 'reads the positions before it is recorded as open')
      this.cursors.connected(this.now);
    if (this.isSelective) this.cursors.wakeWithin(2_000, this.now);
  }

  // Opens a room.

  open(room: string): void {
    if (!this.feed(room).isMine || room === this.opened) return;
    if (this.opened) this.cursors.unfollow(this.opened);
    this.opened = room;
    const present = { at: undefined, epoch: undefined };
    this.cursors.follow(room, this.kept.get(room) ?? present, this.positions.get(room) ?? 0, this.now);
  }

  // Membership.

  leave(room: string): void {
    const feed = this.feed(room);
    if (!feed.isMine) return;
    feed.isMine = false;
    this.place(room, 'event');
    if (this.connection?.isOpen) this.wire.push({ connection: this.connection.id, frame: { kind: 'left', room } });
  }

  join(room: string): void {
    const feed = this.feed(room);
    if (feed.isMine) return;
    feed.isMine = true;
    const seq = this.place(room, 'event');
    feed.start = feed.marker = seq;
    if (!this.connection?.isOpen) return;
    const frame: Frame = { kind: 'room', room, seq, after: seq - 1, events: this.between(room, seq - 1, seq) };
    this.wire.push({ connection: this.connection.id, frame });
  }

  // The client's questions.

  question(): void {
    if (this.asking) return;
    const ask = this.cursors.next(this.now);
    if (ask) this.asking = { ask };
  }

  answer(): void {
    if (!this.asking || this.asking.reply) return;
    const { ask } = this.asking;
    this.asking.reply = ask.kind === 'rooms' ? this.list(ask.since) : this.page(ask.room, ask.after);
  }

  list(since = '0'): Reply {
    const found = rooms.filter((room) => this.feed(room).isMine && this.feed(room).movedAt >= Number(since));
    const positions = found.map((room) => ({ room, seq: this.feed(room).places.length, lastRead: this.feed(room).marker }));
    // A reader of all rooms starts at their positions in the first list that arrives.
    if (!this.hasListed && !this.only && !this.isSelective)
      for (const { room, seq } of positions) if (!this.given.has(room)) this.feed(room).start = seq;
    return { rooms: positions, since: String(this.moves) };
  }

  page(room: string, after: number | undefined): Reply {
    const { isMine, places } = this.feed(room);
    if (!isMine) return 'closed';
    const gap = places.findIndex((place) => place === 'empty' || place === 'abandoned');
    const end = gap === -1 ? places.length : gap;
    if (after !== undefined) return { events: this.between(room, after, end), next: Math.max(after, end) };
    this.feed(room).start = end;
    return { events: [], next: end };
  }

  receive(): void {
    if (!this.asking?.reply) return;
    const { ask, reply } = this.asking;
    this.asking = undefined;
    if (reply === 'closed') this.cursors.lost((ask as { room: string }).room, this.now);
    else if ('rooms' in reply) {
      this.hasListed = true;
      for (const { room, seq } of reply.rooms) this.positions.set(room, seq);
      this.cursors.listed(reply.rooms, reply.since, this.now);
    } else if (ask.kind === 'events') this.cursors.read(ask.room, ask.after, reply, this.now);
  }

  fail(): void {
    if (!this.asking) return;
    this.cursors.failed(this.asking.ask, this.now);
    this.asking = undefined;
  }

  iterate(): void {
    const { at, epoch } = this.cursors.placeOf(this.opened ?? '') ?? {};
    if (this.opened && at !== undefined) this.kept.set(this.opened, { at, epoch });
    for (const news of this.cursors.take()) {
      // The client forgets a room that it cannot read.
      if (news.type === 'left' && this.isSelective) {
        this.kept.delete(news.room.$oid);
        if (this.opened === news.room.$oid) this.opened = undefined;
      }
      if (news.type === 'left' || news.type === 'reset') continue;
      const seqs = this.log.get(news.room.$oid) as number[];
      if (news.seq <= (seqs.at(-1) ?? 0)) throw new Error(`${news.room.$oid}: ${news.seq} comes after ${seqs.at(-1)}`);
      seqs.push(news.seq);
    }
  }

  /** Finishes everything in progress, and lets the client catch up. */
  settle(): void {
    for (const writer of [...this.writers]) {
      if (!writer.isStored) this.store(writer);
      this.ask(writer);
      this.push(writer, 1);
    }
    for (const room of rooms) this.close(room);
    for (let round = 0; round < 300; round++) {
      this.greet();
      while (this.wire.length > 0) this.deliver(round, false);
      this.iterate();
      this.question();
      this.answer();
      if (this.asking) this.receive();
      else if (this.cursors.due === Number.POSITIVE_INFINITY) break;
      else this.now = Math.max(this.now, this.cursors.due);
    }
    this.iterate();
  }

  /** Makes the client open all rooms, one after the other. */
  openAll(): void {
    for (const room of this.isSelective ? rooms : []) {
      this.open(room);
      this.settle();
    }
  }

  /** Compares the client's events with the stored ones. */
  compare(): void {
    for (const [room, { places, isMine, start }] of this.feeds) {
      if (!isMine || (this.only !== undefined && room !== this.only)) continue;
      const isAfterStart = (seq: number) => start !== undefined && seq > start;
      const stored = this.between(room, 0, places.length).map(({ seq }) => seq);
      const seen = this.log.get(room)?.filter(isAfterStart);
      const expected = stored.filter(isAfterStart);
      if (JSON.stringify(seen) !== JSON.stringify(expected)) throw new Error(`${room}: saw ${seen} of ${expected}`);
    }
  }
}

/** Nothing is lost. The client sends only requests that a new connection or a push causes. */
const runOrderly = (course: Course, mistake: Mistake = 'none') => {
  const world = new World(course, mistake);
  for (const { kind, which } of course.steps) world.step(kind, which);
  world.settle();
  world.openAll();
  world.compare();
};

/**
 * Everything may be lost. Then there is a ping, a new connection, or no connection and therefore
 * polling.
 */
const runDisorderly = (course: Course) => {
  const world = new World(course, 'none');
  for (const { kind, which } of course.steps) world.step(kind, which);
  world.settle();
  if (course.end !== 'ping') world.drop();
  if (course.end === 'reconnect') world.connect();
  world.greet();
  world.settle();
  world.ping();
  world.settle();
  world.openAll();
  world.compare();
};

describe(`the feed that a client has seen, in ${numRuns} random courses of events`, () => {
  it('the feed of a client is complete for any order of events while it connects', () => {
    assert(
      property(courseOf(orderly), (course) => runOrderly(course)),
      { numRuns },
    );
  });

  it('the feed of a client is complete when pushes, answers and connections are lost, doubled and late, writers die, and rooms are left and joined', () => {
    assert(property(courseOf([...orderly, ...orderly, ...disorderly]), runDisorderly), { numRuns });
  });

  it.each(['asks who is connected before it takes its place', 'reads the positions before it is recorded as open'] as const)(
    'the feed of a client is incomplete if a process %s',
    (mistake) => {
      const outcome = check(
        property(courseOf(orderly), (course) => runOrderly(course, mistake)),
        { numRuns: 3_000 },
      );
      expect(outcome.failed).toBe(true);
    },
  );
});
