import { array, assert, boolean, check, constantFrom, nat, property, record } from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Event } from '../src/contract.ts';
import { readCursor, writeCursor } from '../src/cursor.ts';
import { type Ask, Cursors, type FollowedEvent } from '../src/cursors.ts';

/*
 * A model of a service that is restored from its backups repeatedly, and of a client that stores
 * what it has seen. It runs the client's real deciding part. The client may have missed any number
 * of restores, and may start with state that it or an earlier version stored at any time. Pushes
 * may be late, duplicated and lost.
 */

/** The number of random courses; CURSOR_MODEL_RUNS sets another. */
const numRuns = Number(process.env.CURSOR_MODEL_RUNS ?? 3_000);

const rooms = ['garden', 'kitchen'];

const kinds = [
  'say',
  'say',
  'say',
  'edit',
  'push',
  'push',
  'deliver',
  'double',
  'lose',
  'backup',
  'restore',
  'restart',
  'store',
  'question',
  'answer',
  'receive',
  'fail',
  'drop',
  'reopen',
];

const courses = record({
  steps: array(record({ kind: constantFrom(...kinds), which: nat() }), { maxLength: 80, size: 'max' }),
  follows: constantFrom('all', 'one', 'named ones'),
  isBare: boolean(),
});
type Course = { steps: { kind: string; which: number }[]; follows: string; isBare: boolean };

/** An entry of a room's feed: a message, or its change. */
type Entry = { message: number; text?: string };
type State = { feeds: Record<string, Entry[]>; texts: Record<number, string> };
/** The client's state of a room: the latest texts of its messages, and its position. */
type Seen = { texts: Record<number, string>; cursor: string };
type Frame = { room: string; epoch: string; seq: number; after: number; events: Event[] };
type Reply = { rooms: { room: string; seq: number; lastRead: number }[]; since: string } | Page | 'replaced';
type Page = { events: Event[]; next: number; epoch: string };

/** Possible faults of the service. */
type Mistake = 'none' | 'restores without another epoch';

class World {
  state: State = { feeds: Object.fromEntries(rooms.map((room) => [room, []])), texts: {} };
  readonly backups: State[] = [];
  epochs = 1;
  seen: Record<string, Seen>;
  readonly stored: Record<string, Seen>[] = [];
  cursors: Cursors;
  wire: Frame[] = [];
  asking: { ask: Ask; reply?: Reply } | undefined;
  now = 0;
  things = 0;
  readonly only: string | undefined;
  readonly isSelective: boolean;
  readonly isBare: boolean;
  readonly mistake: Mistake;

  constructor({ follows, isBare }: Course, mistake: Mistake) {
    this.only = follows === 'one' ? rooms[0] : undefined;
    this.isSelective = follows === 'named ones';
    this.isBare = isBare;
    this.mistake = mistake;
    this.seen = Object.fromEntries(this.followed.map((room) => [room, { texts: {}, cursor: '0' }]));
    this.cursors = this.begin();
  }

  get followed(): string[] {
    return this.only === undefined ? rooms : [this.only];
  }

  get epoch(): string {
    return this.epochs.toString(16).padStart(15, '0');
  }

  /** The client starts with its stored state. An earlier version stored it without epochs. */
  begin(): Cursors {
    const cursorOf = ({ cursor }: Seen) => (this.isBare ? Number(cursor.split('.').at(-1)) : cursor);
    const after = Object.fromEntries(Object.entries(this.seen).map(([room, seen]) => [room, cursorOf(seen)]));
    const settings = { only: this.only, interval: () => 1_000, spread: 2_000, random: () => 0.5 };
    this.asking = undefined;
    if (!this.isSelective) return new Cursors({ ...settings, after });
    const cursors = new Cursors({ ...settings, isSelective: true });
    for (const [room, cursor] of Object.entries(after)) follow(cursors, room, cursor, this.now);
    return cursors;
  }

  step(kind: string, which: number): void {
    const room = rooms[which % rooms.length] as string;
    if (kind === 'say') this.say(room);
    else if (kind === 'edit') this.edit(room, which);
    else if (kind === 'push') this.push(room, which);
    else if (kind === 'deliver' || kind === 'double') this.deliver(which, kind === 'double');
    else if (kind === 'lose') this.wire.splice(which % (this.wire.length || 1), 1);
    else if (kind === 'backup') this.backups.push(structuredClone(this.state));
    else if (kind === 'restore') this.restore(which);
    else if (kind === 'store') this.stored.push(structuredClone(this.seen));
    else if (kind === 'restart') this.restart(which);
    else if (kind === 'question') this.question();
    else if (kind === 'answer') this.answer();
    else if (kind === 'receive') this.receive();
    else if (kind === 'drop') {
      this.cursors.disconnected(this.now);
      this.cursors.connected(this.now);
    } else if (kind === 'reopen') {
      if (this.isSelective) this.reopen(room, which % 4 < 2);
    } else if (this.asking) {
      this.cursors.failed(this.asking.ask, this.now);
      this.asking = undefined;
    }
    this.iterate();
  }

  // The service.

  feed(room: string): Entry[] {
    return this.state.feeds[room] as Entry[];
  }

  say(room: string): void {
    const message = ++this.things;
    this.feed(room).push({ message });
    this.state.texts[message] = `text ${message}`;
  }

  edit(room: string, which: number): void {
    const feed = this.feed(room);
    const message = feed[which % (feed.length || 1)]?.message;
    if (message === undefined) return;
    this.state.texts[message] = `edit ${++this.things}`;
    feed.push({ message });
  }

  /** The events between two places, each with its message in its present form. */
  between(room: string, after: number, upTo: number): Event[] {
    const entries = this.feed(room).slice(after, upTo);
    return entries.map(({ message }, at) => {
      const data = { message, text: this.state.texts[message] };
      return { seq: after + at + 1, type: 'message.created', room: { $oid: room }, data } as unknown as Event;
    });
  }

  push(room: string, which: number): void {
    const { length: seq } = this.feed(room);
    if (seq === 0) return;
    const after = seq - 1 - (which % seq);
    this.wire.push({ room, epoch: this.epoch, seq, after, events: this.between(room, after, seq) });
  }

  restore(which: number): void {
    const backup = this.backups[which % (this.backups.length || 1)];
    if (!backup) return;
    this.state = structuredClone(backup);
    if (this.mistake === 'none') this.epochs++;
    this.cursors.disconnected(this.now);
    this.cursors.connected(this.now);
  }

  // The client.

  restart(which: number): void {
    this.seen = structuredClone(this.stored[which % (this.stored.length || 1)] ?? this.seen);
    this.cursors = this.begin();
  }

  /**
   * Follows a room again, from its position or after reading it again, even while a request for it
   * is in progress.
   */
  reopen(room: string, isReadAgain: boolean): void {
    this.cursors.unfollow(room);
    const cursor = writeCursor({ epoch: this.epoch, at: this.feed(room).length });
    if (isReadAgain) this.seen[room] = { texts: this.history(room), cursor };
    follow(this.cursors, room, (this.seen[room] as Seen).cursor, this.now);
  }

  /** Delivers any frame, in any order, even from a connection that ended long ago. */
  deliver(which: number, isKept: boolean): void {
    const frame = this.wire[which % (this.wire.length || 1)];
    if (!frame) return;
    if (!isKept) this.wire.splice(this.wire.indexOf(frame), 1);
    this.cursors.moved(frame, this.now);
  }

  question(): void {
    if (this.asking) return;
    const ask = this.cursors.next(this.now);
    if (ask) this.asking = { ask };
  }

  answer(): void {
    if (!this.asking || this.asking.reply) return;
    const { ask } = this.asking;
    this.asking.reply = ask.kind === 'rooms' ? this.list(ask.since) : this.page(ask);
  }

  list(since: string | undefined): Reply {
    if (since !== undefined && !since.startsWith(this.epoch)) return 'replaced';
    const found = rooms.map((room) => ({ room, seq: this.feed(room).length, lastRead: 0 }));
    return { rooms: found, since: `${this.epoch}.now` };
  }

  page({ room, after, epoch }: Ask & { kind: 'events' }): Reply {
    const { length: next } = this.feed(room);
    if (after === undefined) return { events: [], next, epoch: this.epoch };
    const isRight = epoch === this.epoch || (epoch === undefined && (this.epochs === 1 || after === 0));
    if (!isRight || after > next) return 'replaced';
    return { events: this.between(room, after, next), next, epoch: this.epoch };
  }

  receive(): void {
    if (!this.asking?.reply) return;
    const { ask, reply } = this.asking;
    this.asking = undefined;
    if (reply === 'replaced') this.cursors.replaced(ask, this.now);
    else if ('rooms' in reply) this.cursors.listed(reply.rooms, reply.since, this.now);
    else if (ask.kind === 'events') this.cursors.read(ask.room, ask.after, reply, this.now);
  }

  iterate(): void {
    for (const news of this.cursors.take()) {
      const seen = this.seen[news.room.$oid];
      if (!seen || news.type === 'left') continue;
      if (news.type === 'reset') seen.texts = this.history(news.room.$oid);
      else {
        const { message, text } = (news as FollowedEvent).data as unknown as { message: number; text: string };
        seen.texts[message] = text;
      }
      seen.cursor = news.cursor;
    }
  }

  /** The messages of a room in the service. */
  history(room: string): Record<number, string> {
    return Object.fromEntries(this.feed(room).map(({ message }) => [message, this.state.texts[message] as string]));
  }

  /** Finishes everything in progress, and lets the client catch up. */
  settle(): void {
    this.cursors.disconnected(this.now);
    this.cursors.connected(this.now);
    for (let round = 0; round < 200; round++) {
      while (this.wire.length > 0) this.deliver(round, false);
      this.iterate();
      this.question();
      this.answer();
      if (this.asking) this.receive();
      else if (this.cursors.due === Number.POSITIVE_INFINITY) break;
      else this.now = Math.max(this.now, this.cursors.due);
      this.iterate();
    }
  }

  compare(): void {
    for (const room of this.followed) {
      const [seen, said] = [JSON.stringify(this.seen[room]?.texts), JSON.stringify(this.history(room))];
      if (seen !== said) throw new Error(`${room}: saw ${seen} of ${said}`);
    }
  }
}

function follow(cursors: Cursors, room: string, cursor: string | number, now: number): void {
  const { epoch, at } = readCursor(String(cursor));
  cursors.follow(room, { epoch, at: Number(at) }, 0, now);
}

const run = (course: Course, mistake: Mistake = 'none') => {
  const world = new World(course, mistake);
  for (const { kind, which } of course.steps) world.step(kind, which);
  world.settle();
  world.compare();
};

describe(`the state that a client has of a restored service, in ${numRuns} random courses of events`, () => {
  it('the state of a client equals the state of the service, for any stored state and number of restores', () => {
    assert(
      property(courses, (course) => run(course)),
      { numRuns },
    );
  });

  it('the state of a client would differ from the state of the service if a restored service had the same epoch', () => {
    const outcome = check(
      property(courses, (course) => run(course, 'restores without another epoch')),
      { numRuns: 3_000 },
    );
    expect(outcome.failed).toBe(true);
  });
});
