import fc from 'fast-check';
import { ObjectId } from 'mongodb';
import { describe, expect, it } from 'vitest';
import { database } from '../../../lib/database/client.ts';
import { noteMentions, storeNotes } from '../../../lib/rooms/notes.ts';
import { type Account, anAccount } from '../../support/accounts.ts';
import { commandsGot } from '../../support/database-within.ts';
import { aMessage } from '../../support/messages.ts';
import { addMember, aRoom, memberId, succeed, type TestRoom } from '../../support/rooms.ts';
import { inProcess as call } from '../../support/transports.ts';

const ann = await anAccount();

describe("the list of the caller's rooms, with the database within the process,", () => {
  it('is not queried again while none of its sources has changed', async () => {
    const [reader, bob] = [await anAccount(), await anAccount()];
    const room = await aRoom({ owner: ann, members: [reader, bob] });
    await aMessage(ann, room.id, { text: `for @${reader.username}` });
    const changes = [
      async () => undefined,
      () => aMessage(ann, room.id),
      async () => addMember(room, await anAccount()),
      () => database.collection('users').updateOne({ _id: new ObjectId(bob.id) }, { $set: { email: 'new@example.org' } }),
      async () => noteMentions(new ObjectId(room.id), 1, [new ObjectId(bob.id)]),
    ];
    for (const change of changes) {
      await untilKnown(reader);
      await change();
      if (change !== changes[0]) expect(await commandsGot(() => list(reader))).not.toEqual([]);
    }
    // What is noted is stored a moment later, which is a change as well.
    await storeNotes();
    await untilKnown(reader);
    await database.collection('events').insertOne({ of: 'no room' });
    expect(await commandsGot(() => list(reader))).toEqual([]);
    expect(await commandsGot(() => list(reader, 'limit=1'))).not.toEqual([]);
  });

  it('equals a fresh query, whatever has happened', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(anEvent, { minLength: 5, maxLength: 30 }), async (happening) => {
        const [reader, bob] = [await anAccount(), await anAccount()];
        const rooms = await Promise.all(['One', 'Two'].map((name) => aRoom({ name, owner: ann, members: [reader] })));
        await call('POST', '/api/conversations', { token: bob.token, body: { users: [reader.username] } });
        for (const [change, index, isWhileAsked] of happening) {
          const happens = () => changes[change]({ reader, bob, room: rooms[index] as TestRoom });
          // Who asks while something changes may see it before or after; who asks then sees it.
          if (isWhileAsked) await Promise.all([list(reader), happens(), list(reader)]);
          else await happens();
          const shown = [await list(reader), await list(reader)];
          const fresh = await readAnew(reader);
          expect(shown, change).toEqual([fresh, fresh]);
        }
      }),
      { numRuns: 25 },
    );
  });
});

type Scene = { reader: Account; bob: Account; room: TestRoom };

/** What can happen to someone's rooms; some of it is refused where it comes at the wrong time, as for one who has left. */
const changes = {
  nothing: async () => undefined,
  message: ({ room }: Scene) => aMessage(ann, room.id),
  ownMessage: ({ reader, room }: Scene) => call('POST', '/api/messages', as(reader, { room: room.id, text: 'mine' })),
  mention: ({ reader, room }: Scene) => aMessage(ann, room.id, { text: `for @${reader.username}` }),
  deletion: async ({ reader, room }: Scene) => {
    const { _id } = await aMessage(ann, room.id, { text: `for @${reader.username}` });
    await list(reader);
    return succeed(call('DELETE', `/api/messages/${_id.$oid}`, { token: ann.token }));
  },
  lateMention: async ({ reader, room }: Scene) => {
    const [at, mentions] = [new ObjectId(room.id), [new ObjectId(reader.id)]];
    await aMessage(ann, room.id);
    await noteMentions(at, 1_000, mentions);
    await list(reader);
    await database.collection('messages').updateMany({ room: at }, { $set: { mentions } });
  },
  read: (scene: Scene) => changeMine(scene, { last_read: 1 }),
  unread: (scene: Scene) => changeMine(scene, { unread_from: 1 }),
  muted: (scene: Scene) => changeMine(scene, { is_muted: true }),
  heard: (scene: Scene) => changeMine(scene, { is_muted: false }),
  renamed: ({ room }: Scene) => call('PATCH', room.path, as(ann, { name: 'Renamed' })),
  left: async ({ reader, room }: Scene) => {
    const mine = await memberOf(room, reader);
    return mine && call('DELETE', mine, { token: reader.token });
  },
  joined: async ({ reader, room }: Scene) => (await memberOf(room, reader)) ?? addMember(room, reader),
  anotherRoom: ({ reader }: Scene) => aRoom({ owner: ann, members: [reader] }),
  blocked: ({ reader, bob }: Scene) => call('POST', '/api/blocks', as(reader, { user: bob.id })),
  deletedAccount: ({ bob }: Scene) => call('DELETE', '/api/users/me', as(bob, { current_password: bob.password })),
} satisfies Record<string, (scene: Scene) => Promise<unknown>>;

const anEvent = fc.tuple(
  fc.constantFrom(...(Object.keys(changes) as (keyof typeof changes)[])),
  fc.nat({ max: 1 }),
  fc.boolean(),
);

const as = ({ token }: Account, body: object) => ({ token, body });

const memberOf = async (room: TestRoom, reader: Account): Promise<string | undefined> =>
  memberId(room, reader).then(
    (id) => `/api/members/${id}`,
    () => undefined,
  );

async function changeMine({ reader, room }: Scene, body: object): Promise<void> {
  const mine = await memberOf(room, reader);
  if (mine) await call('PATCH', mine, as(reader, body));
}

const list = async ({ token }: Account, query = '') =>
  (await succeed(call('GET', `/api/members?user=me&${query}`, { token }))).body;

/** The same by another way, for which nothing is kept. */
const readAnew = (reader: Account) => list(reader, `since=${new Date(0).toISOString()}`);

/** Lists until nothing is left to be noted a moment later. */
const untilKnown = (reader: Account) => expect.poll(() => commandsGot(() => list(reader))).toEqual([]);
