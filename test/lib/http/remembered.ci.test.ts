import fc from 'fast-check';
import { ObjectId } from 'mongodb';
import { describe, expect, it } from 'vitest';
import { loadHandler, readRoutes } from '../../../hosts/server/http/routes.ts';
import { database } from '../../../lib/database/client.ts';
import { renewEpoch } from '../../../lib/database/epoch.ts';
import { noteMentions, storeNotes } from '../../../lib/rooms/notes.ts';
import { type Account, anAccount, anAdmin } from '../../support/accounts.ts';
import { afresh, commandsGot, useDatabaseWithin } from '../../support/database-within.ts';
import { aRoom, memberId, type TestRoom } from '../../support/rooms.ts';
import { inProcess as call, type Reply } from '../../support/transports.ts';

await useDatabaseWithin();

/* These tests need the database in the same process. */
describe('a remembered answer', () => {
  it('a cached answer equals a fresh one, after any change and for every caller', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(aStep, { minLength: 10, maxLength: 40 }), async (steps) => {
        const scene = await aScene();
        const asked = Object.values(reads).flatMap((pathsOf) => pathsOf(scene));
        for (const { change, by, to, room, isWhileAsked, again } of steps) {
          const [actor, other] = [scene.people[by], scene.people[to]] as [Account, Account];
          const happens = () => changes[change]({ ...scene, actor, other, room: scene.rooms[room] as TestRoom });
          const wanted = again.map(
            ([path, who]) => [asked[path % asked.length], scene.people[who] ?? other] as [string, Account],
          );
          // One after the other, because a user may only have one search at a time.
          const getAll = async () => {
            const answers: Reply[] = [];
            for (const [path, { token }] of wanted) answers.push(await get(path, token));
            return answers;
          };
          await getAll();
          // A request during a change may see the state before or after. A later request must see
          // the change.
          await (isWhileAsked ? Promise.all([getAll(), happens(), getAll()]) : happens());
          expect(await getAll(), change).toEqual(await afresh(getAll));
        }
      }),
      { numRuns: 12, endOnFailure: true },
    );
  });

  it('a remembered answer is compared with a fresh one for every operation that has one', async () => {
    const all = await Promise.all(
      readRoutes().map(async (route) => [route.name, (await loadHandler(route)).operations] as const),
    );
    const remembering = all.flatMap(([name, { GET }]) => (GET?.remember ? [name] : []));
    expect([...new Set(remembering)].sort()).toEqual(Object.keys(reads).sort());
    expect(
      all
        .flatMap(([, operations]) => Object.entries(operations))
        .filter(([method, { remember }]) => remember && method !== 'GET'),
    ).toEqual([]);
  });

  it('a remembered answer is for one caller, and only as long as the account is as it was', async () => {
    const [admin, stranger, hidden] = [await anAdmin(), await anAccount(), await aRoom({ is_visible: false })];
    const { status } = await get(hidden.path, admin.token);
    expect([status, (await get(hidden.path, stranger.token)).status]).toEqual([200, 404]);
    await set(admin, { is_admin: false });
    expect((await get(hidden.path, admin.token)).status).toBe(404);
  });

  it('a remembered answer has a status until that ends, of several each to its own end', async () => {
    const [ann, bob] = [await anAccount(), await anAccount()];
    const room = await aRoom({ owner: ann, members: [bob] });
    const end = (count: number) => new Date(Date.now() + count).toISOString();
    await act(ann, 'PATCH', '/api/users/me', { status: { text: 'first', until: end(5_000) } });
    await act(bob, 'PATCH', '/api/users/me', { status: { text: 'second', until: end(10_000) } });
    const shown = async () =>
      ((await get(`/api/members?room=${room.id}`, bob.token)).body as { status?: { text: string } }[]).map(
        ({ status }) => status?.text,
      );
    const seen: unknown[] = [];
    while (JSON.stringify(seen.at(-1)) !== '[null,null]') {
      const now = await shown();
      if (JSON.stringify(now) !== JSON.stringify(seen.at(-1))) seen.push(now);
    }
    expect(seen).toEqual([
      ['first', 'second'],
      [undefined, 'second'],
      [undefined, undefined],
    ]);
  });

  it('a remembered answer asks the database for nothing', async () => {
    const scene = await aScene();
    const { token } = scene.people[0] as Account;
    for (const path of Object.values(reads).flatMap((pathsOf) => pathsOf(scene))) {
      if ((await get(path, token)).status !== 200) throw new Error(`${path} is refused.`);
      // The use of the token is stored a moment later.
      await expect.poll(() => commandsGot(() => get(path, token)), { message: path }).toEqual([]);
    }
  });
});

type Scene = { people: Account[]; rooms: TestRoom[]; memberships: string[]; message: string };
type SceneContext = Scene & { actor: Account; other: Account; room: TestRoom };

/**
 * An administrator and three people. The first two have a conversation. One room has everybody but
 * the last, and one is hidden.
 */
async function aScene(): Promise<Scene> {
  const people = [await anAdmin(), await anAccount(), await anAccount(), await anAccount()] as [
    Account,
    Account,
    Account,
    Account,
  ];
  const [admin, ann, bob, eve] = people;
  const rooms = [
    await aRoom({ name: 'Open', owner: ann, members: [bob] }),
    await aRoom({ name: 'Hidden', owner: ann, moderators: [bob], members: [eve], is_visible: false }),
  ];
  await call('POST', '/api/conversations', { token: ann.token, body: { users: [bob.username] } });
  await call('POST', '/api/conversations', { token: eve.token, body: { users: [bob.username, ann.username, admin.username] } });
  const { body } = await send(bob, rooms[0] as TestRoom, `for @${ann.username}`);
  const memberships = [await memberId(rooms[0] as TestRoom, ann), await memberId(rooms[1] as TestRoom, bob)];
  return { people, rooms, memberships, message: (body as { _id: { $oid: string } })._id.$oid };
}

/** The remembered requests, by their function. */
const reads: Record<string, (scene: Scene) => string[]> = {
  bans: ({ rooms }) => rooms.map(({ id }) => `/api/bans?room=${id}`),
  blocks: () => ['/api/blocks'],
  directory: () => ['/api/directory?limit=200', '/api/directory?q=renamed'],
  member: ({ memberships }) => memberships.map((id) => `/api/members/${id}`),
  members: ({ rooms, people }) => [
    ...rooms.flatMap(({ id }) => [`/api/members?room=${id}`, `/api/members?room=${id}&q=user`]),
    '/api/members?user=me',
    `/api/members?user=${people[1]?.id}`,
    '/api/members?user=me&limit=1',
    '/api/members?user=me&since=2020-01-01T00:00:00Z',
  ],
  message: ({ message }) => [`/api/messages/${message}`],
  messages: ({ rooms, message }) => [
    ...rooms.flatMap(({ id }) => [
      `/api/messages?room=${id}`,
      `/api/messages?room=${id}&limit=2`,
      `/api/messages?room=${id}&is_in_room=true`,
      `/api/messages?room=${id}&after=1`,
      `/api/messages?room=${id}&at=2020-01-01T00:00:00Z`,
      `/api/messages?room=${id}&mentions=me`,
      `/api/messages?room=${id}&pinned=true`,
      `/api/messages?room=${id}&thread=${message}`,
      `/api/messages?room=${id}&q=said`,
    ]),
    '/api/messages?q=said',
    '/api/messages?mentions=me',
  ],
  room: ({ rooms }) => rooms.map(({ path }) => path),
  saved: () => ['/api/saved', '/api/saved?limit=1', '/api/saved?reminders=true'],
  'room-details': ({ rooms }) => rooms.map(({ path }) => `${path}/details`),
  rooms: () => ['/api/rooms', '/api/rooms?limit=2'],
  thread: ({ message }) => [`/api/threads/${message}`],
  threads: () => ['/api/threads', '/api/threads?unread=true', '/api/threads?limit=1'],
  users: ({ people, rooms }) => [
    '/api/users?q=user',
    `/api/users?q=user&room=${rooms[1]?.id}`,
    `/api/users?username=${people[2]?.username}`,
  ],
};

/** The changes. Some are rejected if they come at the wrong time, e.g. after the user has left. */
const changes = {
  nothing: async () => undefined,
  message: ({ actor, room }: SceneContext) => send(actor, room, 'said'),
  mention: ({ actor, other, room }: SceneContext) => send(actor, room, `said to @${other.username}`),
  reply: ({ actor, room, message }: SceneContext) => send(actor, room, 'said back', message),
  edit: ({ actor, message, other }: SceneContext) =>
    act(actor, 'PATCH', `/api/messages/${message}`, { text: `@${other.username}` }),
  reaction: ({ actor, message }: SceneContext) => act(actor, 'PUT', `/api/messages/${message}/reactions/owl`, {}),
  pin: ({ actor, message }: SceneContext) => act(actor, 'PUT', `/api/messages/${message}/pin`, {}),
  unpin: ({ actor, message }: SceneContext) => act(actor, 'DELETE', `/api/messages/${message}/pin`),
  saved: ({ actor, message }: SceneContext) => act(actor, 'PUT', `/api/messages/${message}/save`, {}),
  reminded: ({ actor, message }: SceneContext) =>
    act(actor, 'PUT', `/api/messages/${message}/save`, { remind_at: new Date(Date.now() + 60_000).toISOString() }),
  unsaved: ({ actor, message }: SceneContext) => act(actor, 'DELETE', `/api/messages/${message}/save`),
  deletedMessage: ({ actor, message }: SceneContext) => act(actor, 'DELETE', `/api/messages/${message}`),
  noted: ({ other, room }: SceneContext) => noteMentions(new ObjectId(room.id), 1_000, [new ObjectId(other.id)]),
  stored: () => storeNotes(),
  read: (happening: SceneContext) => changeMine(happening, { last_read: 3 }),
  unread: (happening: SceneContext) => changeMine(happening, { unread_from: 1 }),
  muted: (happening: SceneContext) => changeMine(happening, { is_muted: true }),
  heard: (happening: SceneContext) => changeMine(happening, { is_muted: false }),
  readThread: ({ actor, message }: SceneContext) => act(actor, 'PATCH', `/api/threads/${message}`, { last_read: 4 }),
  followed: ({ actor, message }: SceneContext) => act(actor, 'PATCH', `/api/threads/${message}`, { is_followed: true }),
  unfollowed: ({ actor, message }: SceneContext) => act(actor, 'PATCH', `/api/threads/${message}`, { is_followed: false }),
  role: async ({ actor, other, room }: SceneContext) =>
    onMember(room, other, (path) => act(actor, 'PATCH', path, { role: 'moderator' })),
  called: ({ actor, other }: SceneContext) => act(actor, 'PATCH', '/api/users/me', { name: `As ${other.username}` }),
  busy: ({ actor }: SceneContext) =>
    act(actor, 'PATCH', '/api/users/me', { status: { text: 'Busy', until: '2990-01-01T00:00:00Z' } }),
  renamed: ({ actor, room }: SceneContext) => act(actor, 'PATCH', room.path, { name: 'Renamed' }),
  hidden: ({ actor, room }: SceneContext) => act(actor, 'PATCH', room.path, { is_visible: false }),
  shown: ({ actor, room }: SceneContext) => act(actor, 'PATCH', room.path, { is_visible: true }),
  topic: ({ actor, room }: SceneContext) => act(actor, 'PATCH', `${room.path}/details`, { topic: 'owls' }),
  archived: ({ actor, room }: SceneContext) => act(actor, 'PATCH', `${room.path}/details`, { archived: true }),
  current: ({ actor, room }: SceneContext) => act(actor, 'PATCH', `${room.path}/details`, { archived: false }),
  joined: ({ actor, room }: SceneContext) => act(actor, 'POST', '/api/members', { room: room.id }),
  added: ({ actor, other, room }: SceneContext) => act(actor, 'POST', '/api/members', { room: room.id, user: other.id }),
  left: async ({ actor, room }: SceneContext) => onMember(room, actor, (path) => act(actor, 'DELETE', path)),
  removed: async ({ actor, other, room }: SceneContext) => onMember(room, other, (path) => act(actor, 'DELETE', path)),
  banned: async ({ actor, other, room }: SceneContext) =>
    onMember(room, other, (path) => act(actor, 'DELETE', `${path}?ban=true`)),
  lifted: ({ actor, other, room }: SceneContext) => act(actor, 'DELETE', `/api/bans?room=${room.id}&user=${other.id}`),
  newRoom: ({ actor }: SceneContext) => aRoom({ name: 'Renamed', owner: actor }),
  blocked: ({ actor, other }: SceneContext) => act(actor, 'POST', '/api/blocks', { user: other.id }),
  unblocked: ({ actor, other }: SceneContext) => act(actor, 'DELETE', `/api/blocks?user=${other.id}`),
  appointed: ({ other }: SceneContext) => set(other, { is_admin: true }),
  dismissed: ({ other }: SceneContext) => set(other, { is_admin: false }),
  deactivated: ({ other }: SceneContext) => set(other, { is_active: false }),
  activated: ({ other }: SceneContext) => set(other, { is_active: true }),
  confined: ({ other }: SceneContext) => setToken(other, { scopes: ['rooms:read', 'messages:read'] }),
  unconfined: ({ other }: SceneContext) => setToken(other, { scopes: [] }),
  nameless: ({ people }: SceneContext) =>
    act(people[3] as Account, 'DELETE', '/api/users/me', { current_password: 'correct horse' }),
  deletedRoom: ({ people, rooms }: SceneContext) => act(people[0] as Account, 'DELETE', (rooms[1] as TestRoom).path),
  restored: () => renewEpoch(),
} satisfies Record<string, (happening: SceneContext) => Promise<unknown>>;

const aPerson = fc.nat({ max: 3 });
const aStep = fc.record({
  change: fc.constantFrom(...(Object.keys(changes) as (keyof typeof changes)[])),
  by: aPerson,
  to: aPerson,
  room: fc.nat({ max: 1 }),
  isWhileAsked: fc.boolean(),
  // Half of them are made by the affected user.
  again: fc.array(fc.tuple(fc.nat({ max: 1_000 }), fc.nat({ max: 7 })), { minLength: 3, maxLength: 8 }),
});

const act = ({ token }: Account, method: string, path: string, body?: object) =>
  call(method, path, { token, ...(body && { body }) });

const send = (by: Account, { id }: TestRoom, text: string, thread?: string) =>
  act(by, 'POST', '/api/messages', { room: id, text, ...(thread !== undefined && { thread }) });

const set = ({ id }: Account, fields: object) =>
  database.collection('users').updateOne({ _id: new ObjectId(id) }, { $set: fields });

const setToken = ({ id }: Account, fields: object) =>
  database.collection('tokens').updateMany({ user: new ObjectId(id) }, { $set: fields });

async function onMember(room: TestRoom, account: Account, work: (path: string) => Promise<unknown>): Promise<void> {
  const found = await memberId(room, account).catch(() => undefined);
  if (found !== undefined) await work(`/api/members/${found}`);
}

const changeMine = ({ actor, room }: SceneContext, body: object) =>
  onMember(room, actor, (path) => act(actor, 'PATCH', path, body));

/**
 * A response without the parts that are always different. A cursor may be as old as the list,
 * because nothing has changed since.
 */
async function get(path: string, token: string): Promise<Reply> {
  const { status, body, headers } = await call('GET', path, { token });
  const { 'x-request-id': _id, 'x-next-cursor': cursor, ...others } = headers;
  return { status, body, headers: { ...others, ...(cursor !== undefined && { epoch: cursor.split('.')[0] as string }) } };
}
