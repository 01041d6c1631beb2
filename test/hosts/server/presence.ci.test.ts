import { ObjectId } from 'mongodb';
import { afterAll, describe, expect, it } from 'vitest';
import { aPng } from '../../../tools/gallery/pictures.ts';
import { type Account, anAccount, anAdmin } from '../../support/accounts.ts';
import { addMember, aRoom, aRoomOf, memberId, succeed } from '../../support/rooms.ts';
import { aServer, connected, type TestSocket } from '../../support/sockets.ts';
import { inProcess as call } from '../../support/transports.ts';

const quick = { round: 150, active: 3_600_000, grace: 3_600_000 };
const server = await aServer({ presenceTimes: quick });
/** Forgets disconnected users soon; `hasty` also shows idle users as away soon. */
const forgetful = await aServer({ presenceTimes: { ...quick, grace: 300 } });
const hasty = await aServer({ presenceTimes: { ...quick, active: 5_000, grace: 300 } });
const silent = await aServer({ presence: false });
afterAll(() => Promise.all([server, forgetful, hasty, silent].map(({ close }) => close())));

const watch = ({ send }: TestSocket, ...users: Pick<Account, 'id'>[]) =>
  send({ type: 'watch', users: users.map(({ id }) => ({ $oid: id })) });

/** All presence of a user that a connection has received, in order. */
const statesOf = ({ of }: TestSocket, { id }: Pick<Account, 'id'>) =>
  of('presence').flatMap((frame) =>
    (['active', 'away', 'offline'] as const).filter((state) => frame[state].some(({ $oid }) => $oid === id)),
  );

/** Does something, and waits until the server knows. */
async function act(socket: TestSocket): Promise<void> {
  const id = socket.of('pong').length;
  socket.send({ type: 'active' });
  socket.send({ type: 'ping', id });
  await expect.poll(() => socket.of('pong')).toHaveLength(id + 1);
}

describe('presence', () => {
  it('watchers get the presence of all watched people at first, then of changed ones', async () => {
    const [ann, bob, cid, dan] = await Promise.all([anAccount(), anAccount(), anAccount(), anAccount()]);
    await aRoomOf([ann, bob, cid, dan]);
    const [hers, his, other] = await Promise.all([ann, bob, dan].map((account) => connected(server.url, account)));
    await act(his as TestSocket);
    watch(hers as TestSocket, bob, cid, dan);
    const first = { type: 'presence', active: [{ $oid: bob.id }], away: [{ $oid: dan.id }], offline: [{ $oid: cid.id }] };
    await expect.poll(() => hers?.of('presence')).toEqual([first]);
    await act(other as TestSocket);
    const next = { type: 'presence', active: [{ $oid: dan.id }], away: [], offline: [] };
    await expect.poll(() => hers?.of('presence')).toEqual([first, next]);
    expect(his?.of('presence')).toEqual([]);
    for (const one of [hers, his, other]) one?.socket.close();
  });

  it('a person is away after a while without activity, and offline after the last connection has ended', async () => {
    const [ann, bob] = await Promise.all([anAccount(), anAccount()]);
    await aRoomOf([ann, bob]);
    const hers = await connected(hasty.url, ann);
    watch(hers, bob);
    await expect.poll(() => statesOf(hers, bob)).toEqual(['offline']);
    const [his, another] = await Promise.all([connected(hasty.url, bob), connected(hasty.url, bob)]);
    await expect.poll(() => statesOf(hers, bob)).toEqual(['offline', 'away']);
    await act(his);
    await expect.poll(() => statesOf(hers, bob)).toEqual(['offline', 'away', 'active', 'away']);
    his.socket.close();
    await act(another);
    await expect.poll(() => statesOf(hers, bob).slice(4)).toEqual(['active', 'away']);
    another.socket.close();
    await expect.poll(() => statesOf(hers, bob).slice(6)).toEqual(['offline']);
    hers.socket.close();
  });

  it('a person stays active while the page is loaded again', async () => {
    const [ann, bob, cid] = await Promise.all([anAccount(), anAccount(), anAccount()]);
    await aRoomOf([ann, bob, cid]);
    const [hers, before, other] = await Promise.all([ann, bob, cid].map((account) => connected(server.url, account)));
    await act(before as TestSocket);
    watch(hers as TestSocket, bob, cid);
    await expect.poll(() => statesOf(hers as TestSocket, cid)).toEqual(['away']);
    before?.socket.close();
    await before?.closed;
    const after = await connected(server.url, bob);
    // Her change arrives in the same frames as his would.
    await act(other as TestSocket);
    await expect.poll(() => statesOf(hers as TestSocket, cid)).toEqual(['away', 'active']);
    expect(statesOf(hers as TestSocket, bob)).toEqual(['active']);
    after.socket.close();
    await after.closed;
    // A user who asks in the meantime does not see it either, even after seeing it before.
    watch(hers as TestSocket, bob);
    await expect.poll(() => statesOf(hers as TestSocket, bob)).toEqual(['active', 'active']);
    for (const one of [hers, after, other]) one?.socket.close();
  });
});

/** Events after which a user may no longer see another's presence. */
const ends: [
  string,
  (people: { watcher: Account; subject: Account; room: Awaited<ReturnType<typeof aRoom>> }) => Promise<unknown>,
][] = [
  ['who has left the room', async ({ subject, room }) => leave(room, subject, subject.token)],
  ['who was removed from the room', async ({ subject, room }) => leave(room, subject, room.owner.token)],
  ['whose room they have left', async ({ watcher, room }) => leave(room, watcher, watcher.token)],
  ['whose room was deleted', async ({ room }) => succeed(call('DELETE', room.path, { token: (await anAdmin()).token }))],
  ['whom they have blocked', ({ watcher, subject }) => block(watcher, subject)],
  ['who has blocked them', ({ watcher, subject }) => block(subject, watcher)],
  ['who does not want it to be known', ({ subject }) => change(subject, { shows_presence: false })],
  [
    'who has deleted the account',
    ({ subject: { token, password } }) =>
      succeed(call('DELETE', '/api/users/me', { token, body: { current_password: password } })),
  ],
  [
    'who may no longer use the account',
    async ({ subject }) => {
      const { token } = await anAdmin();
      await succeed(call('PATCH', `/api/users/${subject.id}`, { token, body: { is_active: false } }));
    },
  ],
];

const leave = async (room: Parameters<typeof memberId>[0], who: Account, token: string) =>
  succeed(call('DELETE', `/api/members/${await memberId(room, who)}`, { token }));
const block = ({ token }: Account, { id: user }: Account) => succeed(call('POST', '/api/blocks', { token, body: { user } }));
const change = ({ token }: Account, body: object) => succeed(call('PATCH', '/api/users/me', { token, body }));

/** A user, and a friend who shares another room with them in any case. */
async function aPair() {
  const [watcher, friend, subject] = await Promise.all([anAccount(), anAccount(), anAccount()]);
  await aRoomOf([watcher, friend]);
  return { watcher, friend, subject };
}

describe('people whose presence is hidden', () => {
  it.each([['who shares no room with them', undefined] as const, ...ends])(
    'watchers are never shown a person %s',
    async (_who, end) => {
      const { watcher, friend, subject } = await aPair();
      const room = await aRoom({ members: end ? [watcher, subject] : [watcher] });
      // A connection of one whose account has ended is refused: they are connected before.
      const his = await connected(server.url, subject);
      const [hers, theirs] = await Promise.all([connected(server.url, watcher), connected(server.url, friend)]);
      await act(his);
      await end?.({ watcher, subject, room });
      await expect
        .poll(async () => {
          watch(hers, friend, subject);
          const count = hers.of('presence').length;
          await expect.poll(() => hers.of('presence').length).toBeGreaterThan(count);
          return statesOf(hers, subject).at(-1);
        })
        .toBe('offline');
      const known = statesOf(hers, subject).length;
      if (his.socket.readyState === 1) his.send({ type: 'active' });
      await act(theirs);
      await expect.poll(() => statesOf(hers, friend).at(-1)).toBe('active');
      expect(statesOf(hers, subject).slice(known - 1)).toEqual(['offline']);
      for (const { socket } of [hers, his, theirs]) socket.close();
    },
  );

  it.each(ends)('watchers do not see a person %s', async (_who, end) => {
    const { watcher, friend, subject } = await aPair();
    const room = await aRoom({ members: [watcher, subject] });
    const [hers, theirs, his] = (await Promise.all(
      [watcher, friend, subject].map((account) => connected(forgetful.url, account)),
    )) as [TestSocket, TestSocket, TestSocket];
    watch(hers, friend, subject);
    await expect.poll(() => statesOf(hers, subject)).toEqual(['away']);
    await end({ watcher, subject, room });
    await expect.poll(() => statesOf(hers, subject)).toEqual(['away', 'offline']);
    if (his.socket.readyState === 1) his.send({ type: 'active' });
    await act(theirs);
    await expect.poll(() => statesOf(hers, friend)).toEqual(['away', 'active']);
    expect(statesOf(hers, subject)).toEqual(['away', 'offline']);
    for (const { socket } of [hers, theirs, his]) socket.close();
  });

  it('clients get the presence only of people whom they watch now', async () => {
    const [ann, bob, cid] = await Promise.all([anAccount(), anAccount(), anAccount()]);
    await aRoomOf([ann, bob, cid]);
    const [hers, his, other] = (await Promise.all([ann, bob, cid].map((account) => connected(server.url, account)))) as [
      TestSocket,
      TestSocket,
      TestSocket,
    ];
    watch(hers, bob);
    watch(hers, cid);
    await expect.poll(() => statesOf(hers, cid)).toEqual(['away']);
    await act(his);
    await act(other);
    await expect.poll(() => statesOf(hers, cid)).toEqual(['away', 'active']);
    expect(statesOf(hers, bob)).toEqual(['away']);
    for (const { socket } of [hers, his, other]) socket.close();
  });

  it('people who stop telling their presence are shown again only after they allow it again', async () => {
    const [ann, bob] = await Promise.all([anAccount(), anAccount()]);
    await aRoomOf([ann, bob]);
    await change(bob, { shows_presence: false });
    const [hers, his] = await Promise.all([connected(server.url, ann), connected(server.url, bob)]);
    watch(hers, bob);
    await expect.poll(() => statesOf(hers, bob)).toEqual(['offline']);
    const { body } = await change(bob, { shows_presence: true });
    expect(body).toMatchObject({ shows_presence: true });
    await expect.poll(() => statesOf(hers, bob)).toEqual(['offline', 'away']);
    for (const { socket } of [hers, his]) socket.close();
  });
});

describe('people who watch somebody', () => {
  it('watchers get a new name, status and picture of people who share a room with them', async () => {
    const [ann, bob, stranger] = await Promise.all([anAccount(), anAccount(), anAccount()]);
    await aRoomOf([ann, bob]);
    const [hers, other] = await Promise.all([connected(server.url, ann), connected(server.url, stranger)]);
    for (const socket of [hers, other]) watch(socket, bob);
    for (const socket of [hers, other]) await expect.poll(() => statesOf(socket, bob)).toEqual(['offline']);
    await change(bob, { name: 'Robert', status: { text: 'In a meeting' } });
    const person = { type: 'person', user: { $oid: bob.id }, username: bob.username };
    const changed = { ...person, name: 'Robert', status: { text: 'In a meeting' } };
    await expect.poll(() => hers.of('person')).toEqual([changed]);
    await change(bob, { name: '', status: null });
    await expect.poll(() => hers.of('person')).toEqual([changed, person]);
    await call('PUT', '/api/users/me/avatar', { token: bob.token, body: aPng(8, 8) });
    await expect.poll(() => hers.of('person').at(-1)).toEqual({ ...person, avatar: expect.any(String) });
    expect(other.of('person')).toEqual([]);
    for (const { socket } of [hers, other]) socket.close();
  });
});

describe('a client that watches', () => {
  const ids = (count: number) => Array.from({ length: count }, () => ({ $oid: new ObjectId().toHexString() }));
  const tooMany = "The 'users' parameter must be a list of at most 100 ids.";

  it.each([
    ['a hundred people is answered', { users: ids(100) }, undefined],
    ['nobody is answered', { users: [] }, undefined],
    ['more is refused', { users: ids(101) }, tooMany],
    ['what is not an id is refused', { users: ['me'] }, tooMany],
    ['what is not a list is refused', { users: ids(1)[0] }, tooMany],
    ['without a list is refused', {}, "The 'users' parameter is required."],
  ])('a client that watches %s', async (_what, fields, message) => {
    const socket = await connected(server.url, await anAccount());
    socket.send({ type: 'watch', ...fields });
    await expect.poll(() => [...socket.of('presence'), ...socket.of('error')]).toHaveLength(1);
    expect(socket.of('error')).toEqual(message === undefined ? [] : [{ type: 'error', status: 400, message }]);
    socket.socket.close();
  });

  it('a client learns from `hello` if it may watch, and is refused otherwise', async () => {
    const { token } = await anAccount();
    const [socket, other] = await Promise.all([connected(silent.url, { token }), connected(server.url, { token })]);
    expect([socket.of('hello')[0], other.of('hello')[0]].map((hello) => hello?.presence)).toEqual([undefined, true]);
    socket.send({ type: 'watch', users: [] });
    socket.send({ type: 'active' });
    const error = { type: 'error', status: 409, message: 'The service does not report presence.' };
    await expect.poll(() => socket.of('error')).toEqual([error, error]);
    for (const one of [socket, other]) one.socket.close();
  });
});

it('somebody who joins a room becomes visible to its members', async () => {
  const [ann, bob] = await Promise.all([anAccount(), anAccount()]);
  const room = await aRoom({ owner: ann });
  const [hers, his] = await Promise.all([connected(server.url, ann), connected(server.url, bob)]);
  watch(hers, bob);
  await expect.poll(() => statesOf(hers, bob)).toEqual(['offline']);
  await addMember(room, bob, 'member', call);
  await expect.poll(() => statesOf(hers, bob)).toEqual(['offline', 'away']);
  for (const { socket } of [hers, his]) socket.close();
});
