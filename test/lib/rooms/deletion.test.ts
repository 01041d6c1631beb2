import { Collection, ObjectId } from 'mongodb';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { rooms } from '../../../lib/collections/rooms/rooms.ts';
import { database } from '../../../lib/database/client.ts';
import { deleteRoom } from '../../../lib/rooms/deletion.ts';
import { anAccount, anAdmin } from '../../support/accounts.ts';
import { aRoom, memberId, type TestRoom } from '../../support/rooms.ts';
import { inProcess } from '../../support/transports.ts';

const admin = await anAdmin();
const member = await anAccount();
afterEach(() => {
  vi.restoreAllMocks();
});

const leftOf = async ({ id }: TestRoom) => {
  const room = new ObjectId(id);
  const [messages, events, reads, documents] = await Promise.all([
    database.collection('messages').countDocuments({ room }),
    database.collection('events').countDocuments({ room }),
    database.collection('reads').countDocuments({ '_id.room': room }),
    rooms.countDocuments({ _id: room }),
  ]);
  return { messages, events, reads, rooms: documents };
};
const nothing = { messages: 0, events: 0, reads: 0, rooms: 0 };

describe('deleting a room', () => {
  it('deleting a room deletes its messages, events and read markers, and nothing of another room', async () => {
    const [room, other] = [await aRoomWithMessages(3), await aRoomWithMessages(3)];
    expect(await leftOf(room)).toEqual({ messages: 3, events: 1, reads: 1, rooms: 1 });
    await deleteRoom(new ObjectId(room.id));
    expect(await leftOf(room)).toEqual(nothing);
    expect(await leftOf(other)).toEqual({ messages: 3, events: 1, reads: 1, rooms: 1 });
  });

  it('deleting a room works in batches', async () => {
    const room = await aRoomWithMessages(11_000);
    await deleteRoom(new ObjectId(room.id));
    expect(await leftOf(room)).toEqual(nothing);
  });

  it.each([1, 2, 3, 4])(
    'deleting a room that is cut off at delete call %i looks complete to everyone, and a repetition completes it',
    async (last) => {
      const room = await aRoomWithMessages(7);
      const id = await memberId(room, member);
      let deletions = 0;
      for (const method of ['deleteMany', 'deleteOne'] as const) {
        const original = Collection.prototype[method] as (...args: unknown[]) => Promise<unknown>;
        vi.spyOn(Collection.prototype, method).mockImplementation(function cut(this: Collection, ...args: unknown[]) {
          deletions += 1;
          return deletions >= last ? Promise.reject(new Error('cut off')) : original.apply(this, args);
        } as never);
      }
      expect((await inProcess('DELETE', room.path, { token: admin.token })).status).toBe(500);
      vi.restoreAllMocks();

      for (const [method, path] of [
        ['GET', room.path],
        ['PATCH', room.path],
        ['GET', `${room.path}/details`],
        ['GET', `/api/members?room=${room.id}`],
        ['GET', `/api/members/${id}`],
        ['DELETE', `/api/members/${id}`],
      ] as const) {
        const body = method === 'PATCH' ? { name: 'Back' } : undefined;
        expect((await inProcess(method, path, { token: admin.token, body })).status).toBe(404);
      }
      expect((await inProcess('POST', '/api/members', { token: admin.token, body: { room: room.id } })).status).toBe(404);
      expect(JSON.stringify((await inProcess('GET', '/api/rooms', { token: admin.token })).body)).not.toContain(room.id);
      expect((await inProcess('DELETE', room.path, { token: admin.token })).status).toBe(204);
      expect(await leftOf(room)).toEqual(nothing);
      expect((await inProcess('DELETE', room.path, { token: admin.token })).status).toBe(404);
    },
  );

  it('deleting a room that runs out of time says so, and a repetition continues', async () => {
    const room = await aRoomWithMessages(3);
    await expect(deleteRoom(new ObjectId(room.id), { time: 0 })).rejects.toMatchObject({
      status: 503,
      body: { description: 'The room is being deleted: repeat the request to continue.' },
      headers: { 'Retry-After': '2' },
    });
    expect((await inProcess('GET', room.path, { token: admin.token })).status).toBe(404);
    await deleteRoom(new ObjectId(room.id));
    expect(await leftOf(room)).toEqual(nothing);
  });
});

/** A room with a member, and messages in the format of `lib/collections/rooms/messages.ts`. */
async function aRoomWithMessages(count: number): Promise<TestRoom> {
  const created = await aRoom({ members: [member] });
  const room = new ObjectId(created.id);
  const seqs = Array.from({ length: count }, (_, index) => index + 2);
  await database.collection('messages').createIndexes([{ key: { room: 1, seq: 1 }, name: 'room, seq', unique: true }]);
  const stored = seqs.map((seq) => ({ room, seq, ordinal: seq - 1, text: '' }));
  // In batches, so that no call reaches the client's timeout on a busy machine.
  for (let at = 0; at < count; at += 1_000) await database.collection('messages').insertMany(stored.slice(at, at + 1_000));
  return created;
}
