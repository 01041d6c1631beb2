import { afterAll, describe, expect, it } from 'vitest';
import { database } from '../../../lib/database/client.ts';
import { aName, anAccount, anAddress, anAdmin, logIn } from '../../support/accounts.ts';
import { refusals } from '../../support/error-bodies.ts';
import { callThrough } from '../../support/processes.ts';
import { outcome } from '../../support/responses.ts';
import { aRoom, aRoomOf, type TestRoom } from '../../support/rooms.ts';
import { admin } from '../../support/run-command.ts';
import { inProcess, type Reply } from '../../support/transports.ts';

// Prepares the database, before which the processes would refuse writes.
await database.command({ ping: 1 });
const { call, end } = await callThrough(10, {
  RATE_LIMITS: 'on',
  SIGN_UPS_PER_HOUR: '4',
  SIGN_UPS_PER_DAY: '6',
  LOGINS_PER_MINUTE: '3',
  TOKENS_PER_USER: '5',
  SESSIONS_PER_USER: '3',
  ROOMS_PER_USER: '3',
  STRANGERS_PER_DAY: '2',
  WRITE_BURST: '1000',
});
afterAll(end);

// The replies per status; a failure of the service shows its reason.
const countsOf = (replies: Reply[]) => {
  const groups = Map.groupBy(replies, ({ status, body }) => (status < 500 ? status : JSON.stringify(body)));
  return Object.fromEntries([...groups].map(([group, all]) => [group, all.length]));
};
const atOnce = async (count: number, ask: (at: number) => Promise<Reply>) =>
  countsOf(await Promise.all(Array.from({ length: count }, (_, at) => ask(at))));
// One in each process at a time: on a busy machine, fifty connections to the mail server would
// take longer than a process waits for one.
const inTens = async (tens: number, ask: () => Promise<Reply>) => {
  const replies: Reply[] = [];
  for (let ten = 0; ten < tens; ten++) replies.push(...(await Promise.all(Array.from({ length: 10 }, ask))));
  return countsOf(replies);
};

type SignUp = { username?: string; token?: string; invitation?: string };
const signUp = (source: string, { username = aName(), token, invitation }: SignUp = {}) =>
  call('POST', '/api/users', {
    source,
    token,
    body: { username, email: `${aName()}@example.org`, password: 'correct horse', ...(invitation && { invitation }) },
  });

describe('limits of accounts, through ten concurrent processes', () => {
  it('sign-ups from one address are counted, and those by administrators are not', async () => {
    const source = anAddress();
    expect(await atOnce(12, () => signUp(source))).toEqual({ 201: 4, 429: 8 });
    const { status, headers } = await signUp(source);
    expect(status).toBe(429);
    expect(Number(headers['retry-after'])).toBeGreaterThan(59 * 60);
    expect((await signUp(anAddress())).status).toBe(201);
    const { token } = await anAdmin();
    expect((await signUp(source, { token })).status).toBe(201);
  });

  it('sign-ups with names that are taken or reserved leave colleagues theirs, and are limited themselves', async () => {
    const [taken, source] = [await anAccount(), anAddress()];
    const oneByOne = async (count: number, username?: string) => {
      const replies = [];
      for (let at = 0; at < count; at++) replies.push(await signUp(source, username === undefined ? {} : { username }));
      return countsOf(replies);
    };
    expect(await oneByOne(6, taken.username)).toEqual({ 409: 6 });
    expect(await oneByOne(7, 'admin')).toEqual({ 409: 7 });
    expect(await oneByOne(2)).toEqual({ 201: 2 });
    // The wider limit is used up: from now on they count as sign-ups.
    expect(await oneByOne(3, taken.username)).toEqual({ 409: 2, 429: 1 });
    expect(await oneByOne(1)).toEqual({ 429: 1 });
  });

  it('sign-ups with names that are taken are not more than both limits when they come at the same moment', async () => {
    const [taken, source] = [await anAccount(), anAddress()];
    let refused = 0;
    for (let round = 0; round < 4; round++) refused += (await atOnce(6, () => signUp(source, taken)))[409] ?? 0;
    expect(refused).toBe(4 + 6);
  });

  it('sign-ups by the invitations of one person have a limit of their own', async () => {
    const source = anAddress();
    expect(await atOnce(5, () => signUp(source))).toEqual({ 201: 4, 429: 1 });
    const room = await aRoom();
    const invite = async () => {
      const { body } = await call('POST', `${room.path}/invitations`, { token: room.owner.token, body: {} });
      return (body as { code: string }).code;
    };
    const [one, another] = [await invite(), await invite()];
    expect(await atOnce(4, () => signUp(source, { invitation: one }))).toEqual({ 201: 4 });
    expect(await atOnce(8, () => signUp(source, { invitation: another }))).toEqual({ 201: 2, 429: 6 });
    expect((await signUp(anAddress(), { invitation: one })).status).toBe(429);
    const unused = await call('GET', `${room.path}/invitations`, { token: room.owner.token });
    expect(unused.body).toMatchObject([{ uses_left: null }, { uses_left: null }]);
  });

  it('e-mails are counted per recipient, purpose and address that requests them, whether there is an account or not', async () => {
    const ask = (email: string, source = anAddress(), purpose = 'password') =>
      call('POST', '/api/codes', { source, body: { email, purpose } });
    const [{ email, username }, unknown, source] = [await anAccount(), `${aName()}@example.org`, anAddress()];
    for (const to of [email, unknown]) {
      const other = anAddress();
      expect(await atOnce(8, () => ask(to, other))).toEqual({ 204: 5, 429: 3 });
      // Nobody elsewhere keeps the owner from a mail, nor another purpose from its mails; but a
      // mailbox is not filled.
      expect((await ask(to.toUpperCase(), other)).status).toBe(429);
      expect((await ask(to, other, 'address')).status).toBe(204);
      expect(await inTens(5, () => ask(to))).toEqual({ 204: 45, 429: 5 });
    }
    expect((await ask(email)).status).toBe(429);
    await admin(['user', 'unlimit', username]);
    expect((await ask(email)).status).toBe(204);
    expect(await inTens(3, () => ask(`${aName()}@example.org`, source))).toEqual({ 204: 20, 429: 10 });
  });

  it('only logins with the right password are counted', async () => {
    const { username, password } = await anAccount();
    for (let guess = 0; guess < 4; guess++) expect((await logIn(call, username, 'a guess')).status).toBe(401);
    expect(await atOnce(8, () => logIn(call, username, password))).toEqual({ 201: 3, 429: 5 });
  });

  it('the oldest of too many sessions of an account end', async () => {
    const { username, password } = await anAccount();
    const tokens: string[] = [];
    for (let login = 0; login < 5; login++) {
      // In a process without that limit of logins.
      const { body } = await logIn(inProcess, username, password);
      tokens.push((body as { token: string }).token);
    }
    tokens.push(((await logIn(call, username, password)).body as { token: string }).token);
    const statuses = await Promise.all(tokens.map(async (token) => (await call('GET', '/api/users/me', { token })).status));
    expect(statuses).toEqual([401, 401, 401, 200, 200, 200]);
  });

  it('an account keeps only as many named tokens as it may have', async () => {
    const { token } = await anAccount();
    const create = () => call('POST', '/api/tokens', { token, body: { name: aName(), scopes: ['rooms:read'] } });
    const counts = await atOnce(10, create);
    const { body } = await call('GET', '/api/tokens', { token });
    expect((body as unknown[]).length).toBe(1 + (counts[201] ?? 0));
    expect((body as unknown[]).length).toBeLessThanOrEqual(5);
    for (let left = 5 - (body as unknown[]).length; left > 0; left--) expect((await create()).status).toBe(201);
    expect(outcome(await create())).toEqual(refusals.conflict('The account has too many named tokens.'));
  });

  it('an account joins only as many rooms as it may', async () => {
    const { token } = await anAccount();
    const rooms = await Promise.all(Array.from({ length: 5 }, () => aRoom()));
    const join = (room: string) => call('POST', '/api/members', { token, body: { room } });
    for (const { id } of rooms.slice(0, 3)) expect((await join(id)).status).toBe(201);
    expect(outcome(await join(rooms[3]?.id ?? ''))).toEqual(refusals.conflict('The user is in too many rooms.'));
    const { body } = await call('GET', '/api/members?user=me', { token });
    expect(body).toHaveLength(3);
    const [{ _id }] = body as [{ _id: { $oid: string } }];
    expect((await call('DELETE', `/api/members/${_id.$oid}`, { token })).status).toBe(204);
    expect((await join(rooms[4]?.id ?? '')).status).toBe(201);
  });

  it('rooms that others add an account to do not count towards the rooms that it joins, and have their own limit', async () => {
    const [user, adder, admin] = await Promise.all([anAccount(), anAccount(), anAdmin()]);
    const rooms = await Promise.all(Array.from({ length: 5 }, () => aRoom({ owner: adder })));
    const add = (room = '', by = adder) => call('POST', '/api/members', { token: by.token, body: { room, user: user.id } });
    for (const { id } of rooms.slice(0, 3)) expect((await add(id)).status).toBe(201);
    expect(outcome(await add(rooms[3]?.id))).toEqual(refusals.conflict('The user is in too many rooms.'));
    expect((await add(rooms[4]?.id, admin)).status).toBe(201);
    const { token } = user;
    for (let count = 0; count < 3; count++)
      expect((await call('POST', '/api/members', { token, body: { room: (await aRoom()).id } })).status).toBe(201);
  });

  it('an account begins only as many conversations as it may, and of those with strangers only so many a day', async () => {
    const [ann, admin] = await Promise.all([anAccount(), anAdmin()]);
    const others = await Promise.all(Array.from({ length: 6 }, () => anAccount()));
    const colleagues = others.slice(0, 3);
    await aRoomOf([ann, ...colleagues]);
    const open = (other = ann, { token } = ann) => call('POST', '/api/conversations', { token, body: { users: [other.id] } });
    const [, , colleague, one, two, three] = others;
    for (const stranger of [one, two]) expect((await open(stranger)).status).toBe(201);
    const { status, headers } = await open(three);
    expect(status).toBe(429);
    expect(Number(headers['retry-after'])).toBeGreaterThan(23 * 60 * 60);
    // Existing conversations open all the same, and conversations that others start count for them.
    expect((await open(one)).status).toBe(201);
    expect((await open(ann, three)).status).toBe(201);
    expect((await open(colleague)).status).toBe(201);
    expect(outcome(await open(colleagues[0]))).toEqual(refusals.conflict('The caller has started too many conversations.'));
    for (const other of others) expect((await open(other, admin)).status).toBe(201);
  });

  it('a user with too many rooms uses up no invitation', async () => {
    const { token } = await anAccount();
    const rooms = await Promise.all(Array.from({ length: 4 }, () => aRoom()));
    for (const { id } of rooms.slice(1)) await call('POST', '/api/members', { token, body: { room: id } });
    const [{ path, owner }] = rooms as [TestRoom];
    const created = await inProcess('POST', `${path}/invitations`, { token: owner.token, body: { uses: 1 } });
    const { code: invitation } = created.body as { code: string };
    const accept = (as: string) => call('POST', '/api/members', { token: as, body: { invitation } });
    expect(outcome(await accept(token))).toEqual(refusals.conflict('The user is in too many rooms.'));
    expect((await accept((await anAccount()).token)).status).toBe(201);
  });

  it('new rooms of an account are counted, also those that it has left, and those of administrators are not', async () => {
    const [user, boss] = [await anAccount(), await anAdmin()];
    const create = ({ token }: { token: string }) => call('POST', '/api/directory', { token, body: { name: 'Another' } });
    const leave = async ({ token }: { token: string }) => {
      const { body } = await call('GET', '/api/members?user=me&limit=200', { token });
      for (const { _id } of body as { _id: { $oid: string } }[]) await call('DELETE', `/api/members/${_id.$oid}`, { token });
    };
    for (let made = 0; made < 3; made++) expect((await create(user)).status).toBe(201);
    expect(outcome(await create(user))).toEqual(refusals.conflict('The user is in too many rooms.'));
    for (let made = 3; made < 50; made++) {
      await leave(user);
      expect((await create(user)).status).toBe(201);
    }
    await leave(user);
    const refused = await create(user);
    expect(refused.status).toBe(429);
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(23 * 60 * 60);
    await admin(['user', 'unlimit', user.username]);
    expect((await create(user)).status).toBe(201);
    for (let made = 0; made < 5; made++) expect((await create(boss)).status).toBe(201);
  });
});
