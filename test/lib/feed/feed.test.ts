import { Collection, ObjectId } from 'mongodb';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { serveAloneSince } from '../../../lib/base/sole-server.ts';
import { events } from '../../../lib/collections/rooms/events.ts';
import { type MessageDocument, messages } from '../../../lib/collections/rooms/messages.ts';
import { rooms } from '../../../lib/collections/rooms/rooms.ts';
import type { Event } from '../../../lib/feed/events.ts';
import { closeGaps, type Gap } from '../../../lib/messages/gaps.ts';
import type { Message } from '../../../lib/messages/messages.ts';
import { messageCount, unreadOf } from '../../../lib/rooms/counters.ts';
import { anAccount } from '../../support/accounts.ts';
import { placeIn } from '../../support/cursors.ts';
import { aMessage } from '../../support/messages.ts';
import { age, aRoomOf } from '../../support/rooms.ts';
import { inProcess } from '../../support/transports.ts';

const owner = await anAccount();

afterEach(() => {
  serveAloneSince(undefined);
  vi.restoreAllMocks();
});

describe('a feed', () => {
  it('a feed stops before a gap, and continues when it is filled', async () => {
    const room = await aRoomOf([owner]);
    const first = await aMessage(owner, room);
    const meanwhile = beforeInsert('messages', async () => {
      const third = await aMessage(owner, room);
      expect(await read(room, 0)).toEqual({ seqs: [1], next: '1' });
      expect(await read(room, 1)).toEqual({ seqs: [], next: '1' });
      expect(await now(room)).toBe('1');
      expect(third.seq).toBe(3);
    });
    expect((await aMessage(owner, room)).seq).toBe(2);
    await meanwhile;
    expect(await read(room, first.seq)).toEqual({ seqs: [2, 3], next: '3' });
  });

  it('a feed closes an old gap, and the message that comes late takes a later place', async () => {
    const room = await aRoomOf([owner]);
    await aMessage(owner, room);
    const meanwhile = beforeInsert('messages', async () => {
      await aMessage(owner, room);
      await age(room);
      expect(await read(room, 0)).toEqual({ seqs: [1, 3], next: '3' });
    });
    const key = crypto.randomUUID();
    const late = await aMessage(owner, room, { text: 'Late', key });
    await meanwhile;
    expect(late.seq).toBe(4);
    expect(await read(room, 3)).toEqual({ seqs: [4], next: '4' });
    expect(await aMessage(owner, room, { text: 'Late', key })).toEqual(late);
    expect(await history(room)).toEqual([1, 3, 4]);
    expect(await counted(room)).toBe(3);
  });

  it('a feed does not wait for a message whose process ended before the only server of the database started', async () => {
    const room = await aRoomOf([owner]);
    await aMessage(owner, room);
    const meanwhile = beforeInsert('messages', async () => {
      await aMessage(owner, room);
      expect(await read(room, 0)).toEqual({ seqs: [1], next: '1' });
      serveAloneSince(new Date(Date.now() + 1));
      expect(await read(room, 0)).toEqual({ seqs: [1, 3], next: '3' });
    });
    await aMessage(owner, room);
    await meanwhile;
  });

  it('a feed closes an old gap, and the event that comes late takes a later place', async () => {
    const room = await aRoomOf([owner]);
    const { _id } = await aMessage(owner, room);
    const meanwhile = beforeUpdate(async () => {
      await aMessage(owner, room);
      await age(room);
      expect(await read(room, 0)).toEqual({ seqs: [1, 3], next: '3' });
    });
    await edit(_id.$oid, 'Other');
    await meanwhile;
    expect(await read(room, 3)).toEqual({ seqs: [4], next: '4' });
    expect(await counted(room)).toBe(2);
  });

  it('a feed includes a change whose function died before it recorded the event', async () => {
    const room = await aRoomOf([owner]);
    const { _id } = await aMessage(owner, room);
    const meanwhile = beforeInsert('events', () => Promise.reject(new Error('killed')));
    expect((await edit(_id.$oid, 'Other')).status).toBe(500);
    await expect(meanwhile).rejects.toThrow('killed');
    await aMessage(owner, room);
    expect(await read(room, 0)).toEqual({ seqs: [1], next: '1' });
    await age(room);
    expect(await read(room, 1)).toEqual({ seqs: [2, 3], next: '3' });
    const stored = await events.findOne({ room: new ObjectId(room), seq: 2 });
    expect(stored).toMatchObject({ type: 'message.edited', actor: new ObjectId(owner.id) });
  });

  it('a feed includes a change only once if it found the change before the function recorded the event', async () => {
    const room = await aRoomOf([owner]);
    const { _id } = await aMessage(owner, room);
    const meanwhile = beforeInsert('events', async () => {
      await aMessage(owner, room);
      await age(room);
      expect(await read(room, 0)).toEqual({ seqs: [1, 2, 3], next: '3' });
    });
    expect((await edit(_id.$oid, 'Other')).status).toBe(200);
    await meanwhile;
    expect(await read(room, 0)).toEqual({ seqs: [1, 2, 3], next: '3' });
  });

  it('a feed closes consecutive gaps of any kind together, and counts lost messages', async () => {
    const room = await aRoomOf([owner]);
    await aMessage(owner, room);
    for (const isMessage of [true, false, true, false, false]) await abandonPlace(room, isMessage);
    await aMessage(owner, room);
    expect(await read(room, 0, 1)).toEqual({ seqs: [1], next: '1' });
    await age(room);
    expect(await read(room, 1, 1)).toEqual({ seqs: [], next: '2' });
    expect(await read(room, 1)).toEqual({ seqs: [7], next: '7' });
    expect(await counted(room)).toBe(2);
    const markers = [unread(room, 0), unread(room, 1), unread(room, 4)];
    expect(await Promise.all(markers)).toEqual([2, 1, 0]);
  });

  it('a feed counts a message that is lost right after a change whose function died', async () => {
    const room = await aRoomOf([owner]);
    const { _id } = await aMessage(owner, room);
    const crash = beforeInsert('events', () => Promise.reject(new Error('killed')));
    expect((await edit(_id.$oid, 'Other')).status).toBe(500);
    await expect(crash).rejects.toThrow('killed');
    await abandonPlace(room, true);
    await aMessage(owner, room);
    await age(room);
    expect(await read(room, 0)).toEqual({ seqs: [1, 2, 4], next: '4' });
    expect(await counted(room)).toBe(2);
  });

  it.each(['the count', 'the event'])(
    'a feed counts a lost message once, when the reader that closes the gap dies before %s',
    async (step) => {
      const room = await aRoomOf([owner]);
      await abandonPlace(room, true);
      await aMessage(owner, room);
      await age(room);
      const collection = step === 'the count' ? 'rooms' : 'messages';
      const crash = beforeUpdateOne(collection, () => Promise.reject(new Error('killed')));
      expect((await inProcess('GET', `/api/events?room=${room}&after=0`, { token: owner.token })).status).toBe(500);
      await expect(crash).rejects.toThrow('killed');
      expect(await read(room, 0)).toEqual({ seqs: [2], next: '2' });
      expect(await counted(room)).toBe(1);
    },
  );

  it('a feed finds a message that was lost at the end of a silent room', async () => {
    const room = await aRoomOf([owner]);
    await aMessage(owner, room);
    await abandonPlace(room, true);
    expect(await now(room)).toBe('1');
    expect([await counted(room), await unread(room, 1)]).toEqual([2, 1]);
    await age(room);
    expect(await now(room)).toBe('2');
    expect([await counted(room), await unread(room, 1)]).toEqual([1, 0]);
    expect(await read(room, 0)).toEqual({ seqs: [1], next: '2' });
  });

  it('a feed closes a gap once, when many readers reach it concurrently', async () => {
    const room = await aRoomOf([owner]);
    for (let times = 0; times < 3; times++) {
      await abandonPlace(room, true);
      await aMessage(owner, room);
    }
    await age(room);
    const insert = vi.spyOn(Collection.prototype, 'insertOne');
    const readers = await Promise.all(Array.from({ length: 12 }, () => read(room, 0)));
    expect(readers).toEqual(readers.map(() => ({ seqs: [2, 4, 6], next: '6' })));
    expect(await counted(room)).toBe(3);
    const closed = insert.mock.contexts.filter((called) => (called as Collection).collectionName === 'messages');
    expect(closed.length).toBe(3);
  });

  it('a feed closes a gap once, when several servers reach it concurrently', async () => {
    const room = await aRoomOf([owner]);
    const gaps: Gap[] = [];
    for (const seq of [1, 3, 5]) {
      await abandonPlace(room, true);
      await aMessage(owner, room);
      gaps.push({ room: new ObjectId(room), seq, ordinal: seq, at: new Date(), isCounted: true });
    }
    // These calls share no work, as if each ran in its own process.
    await Promise.all(Array.from({ length: 3 }, () => closeGaps(gaps)));
    expect(await read(room, 0)).toEqual({ seqs: [2, 4, 6], next: '6' });
    expect(await counted(room)).toBe(3);
  });

  it('a feed starts for now before a gap, however much comes after it', async () => {
    const room = await aRoomOf([owner]);
    await aMessage(owner, room);
    await abandonPlace(room, true);
    const burst = Array.from({ length: 150 }, () => aMessage(owner, room));
    await Promise.all(burst);
    expect(await now(room)).toBe('1');
    await age(room);
    expect(await now(room)).toBe('152');
  });

  it('a feed starts before a flood that is too long to look through for gaps, and skips nothing', async () => {
    const room = await aRoomOf([owner]);
    await aMessage(owner, room);
    const flood = async (from: number, count: number) => {
      const [message] = await messages.find({ room: new ObjectId(room) }).toArray();
      const sent = Array.from({ length: count }, (_, at) => {
        return { ...message, _id: new ObjectId(), seq: from + at, ordinal: from + at, created_at: new Date() } as MessageDocument;
      });
      await messages.unscoped.insertMany(sent);
      await rooms.updateOne({ _id: new ObjectId(room) }, { $set: { seq: from + count - 1, message_count: from + count - 1 } });
    };
    await flood(2, 999);
    await age(room);
    await flood(1001, 4_000);
    expect(await now(room)).toBe('1000');
    await flood(5001, 4_000);
    expect(await now(room)).toBe('0');
    expect((await read(room, 1000, 3)).seqs).toEqual([1001, 1002, 1003]);
  });
});

const read = async (room: string, after: number, limit = 50) => {
  const path = `/api/events?room=${room}&after=${after}&limit=${limit}`;
  const { headers, body } = await inProcess('GET', path, { token: owner.token });
  return { seqs: (body as Event[]).map(({ seq }) => seq), next: placeIn(headers['x-next-cursor']) };
};

const now = async (room: string) =>
  placeIn((await inProcess('GET', `/api/events?room=${room}`, { token: owner.token })).headers['x-next-cursor']);

const history = async (room: string) => {
  const { body } = await inProcess('GET', `/api/messages?room=${room}`, { token: owner.token });
  return (body as Message[]).map(({ seq }) => seq);
};

const edit = (id: string, text: string) => inProcess('PATCH', `/api/messages/${id}`, { token: owner.token, body: { text } });

/** The counters of a room's messages. */
const counters = async (room: string) => (await rooms.findOne({ _id: new ObjectId(room) })) ?? expect.fail('no such room');
const counted = async (room: string) => messageCount(await counters(room));
const unread = async (room: string, ordinal: number) => unreadOf(await counters(room), { ordinal, deleted: 0 });

/** The state after a function died between reserving a `seq` and using it. */
const abandonPlace = (room: string, isMessage: boolean) =>
  rooms.updateOne(
    { _id: new ObjectId(room) },
    {
      $inc: { seq: 1, message_count: isMessage ? 1 : 0 },
      $currentDate: { changed_at: true, ...(isMessage && { last_message_at: true }) },
    },
  );

/** Runs `what` before the next document is inserted into a collection. It settles like `what`. */
const beforeInsert = (collection: string, what: () => Promise<unknown>) =>
  beforeNext('insertOne', (called) => called.collectionName === collection, what);

const beforeUpdateOne = (collection: string, what: () => Promise<unknown>) =>
  beforeNext('updateOne', (called) => called.collectionName === collection, what);

/** Runs `what` before the next message is changed. It settles like `what`. */
const beforeUpdate = (what: () => Promise<unknown>) =>
  beforeNext('findOneAndUpdate', (called) => called.collectionName === 'messages', what);

function beforeNext(
  method: 'insertOne' | 'updateOne' | 'findOneAndUpdate',
  isMeant: (called: Collection) => boolean,
  what: () => Promise<unknown>,
) {
  const original = Collection.prototype[method] as (...args: unknown[]) => unknown;
  return new Promise<unknown>((resolve, reject) => {
    const spy = vi.spyOn(Collection.prototype, method);
    let isOver = false;
    spy.mockImplementation(async function intercept(this: Collection, ...args: unknown[]) {
      if (!isOver && isMeant(this)) {
        isOver = true;
        await what().then(resolve, (error) => {
          reject(error);
          throw error;
        });
      }
      return original.apply(this, args);
    } as never);
  });
}
