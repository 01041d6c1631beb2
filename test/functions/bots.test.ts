import { ObjectId } from 'mongodb';
import { describe, expect, it } from 'vitest';
import { changeUser } from '../../lib/accounts/accounts.ts';
import { deleteUser } from '../../lib/accounts/deletion.ts';
import type { Bot } from '../../lib/bots/bots.ts';
import { users } from '../../lib/collections/accounts/users.ts';
import { rooms } from '../../lib/collections/rooms/rooms.ts';
import type { Member } from '../../lib/members/members.ts';
import type { Message } from '../../lib/messages/messages.ts';
import { aName, anAccount, anAddress, anAdmin, logIn } from '../support/accounts.ts';
import type { TestBot } from '../support/bots.ts';
import { aBot, botScopes } from '../support/bots.ts';
import { useConfig } from '../support/config.ts';
import { refusals } from '../support/error-bodies.ts';
import { aMessage } from '../support/messages.ts';
import { anyDate, outcome } from '../support/responses.ts';
import type { TestRoom } from '../support/rooms.ts';
import { addMember, aRoom, succeed } from '../support/rooms.ts';
import type { Reply } from '../support/transports.ts';
import { inProcess } from '../support/transports.ts';

useConfig({ BOT_CREATION: 'users' });

const admin = await anAdmin();
const bot = await aBot(admin);
const refused = (status: number, code: string) => ({ status, body: { code } });
/** True if a token still works. */
const isValid = async (token: string) => (await inProcess('GET', '/api/users/me', { token })).status === 200;

describe('/api/bots', () => {
  const create = (token: string, body: object) => inProcess('POST', '/api/bots', { token, body });

  it('POST /api/bots creates a bot that its creator owns', async () => {
    const owner = await anAccount();
    const username = aName();
    const created = await create(owner.token, { username, name: 'Deploys' });
    const bot = {
      _id: { $oid: expect.stringMatching(/^[0-9a-f]{24}$/) },
      username,
      name: 'Deploys',
      owner: { $oid: owner.id },
      is_active: true,
      created_at: anyDate,
    };
    expect(outcome(created)).toEqual({ status: 201, body: bot });
    expect(outcome(await inProcess('GET', '/api/bots', { token: owner.token }))).toEqual({ status: 200, body: [created.body] });
    const { _id } = created.body as Bot;
    expect((await inProcess('GET', `/api/bots/${_id.$oid}`, { token: owner.token })).body).toEqual({
      ...bot,
      commands: [],
      has_webhook: false,
    });
    expect((await inProcess('GET', `/api/users/${_id.$oid}`, { token: admin.token })).body).toEqual({
      _id,
      username,
      name: 'Deploys',
      is_bot: true,
      is_admin: false,
      is_active: true,
      shows_presence: true,
      created_at: anyDate,
    });
  });

  it('POST /api/bots gives each user at most ten bots, even for concurrent requests', async () => {
    const owner = await anAccount();
    const replies = await Promise.all(Array.from({ length: 14 }, () => create(owner.token, { username: aName() })));
    const made = replies.filter(({ status }) => status === 201).length;
    expect(made).toBeLessThanOrEqual(10);
    for (const reply of replies.filter(({ status }) => status !== 201))
      expect(reply).toMatchObject(refused(409, 'too_many_bots'));
    for (let more = made; more < 10; more++) expect((await create(owner.token, { username: aName() })).status).toBe(201);
    expect(await create(owner.token, { username: aName() })).toMatchObject(refused(409, 'too_many_bots'));
    // Administrators give more.
    expect((await create(admin.token, { username: aName(), owner: owner.id })).status).toBe(201);
  });

  it.each<[what: string, body: () => Promise<object>, status: number, code: string]>([
    ['a name that is taken', async () => ({ username: (await anAccount()).username }), 409, 'username_taken'],
    ['a reserved name', async () => ({ username: 'admin' }), 409, 'username_reserved'],
    ['an owner other than the caller', async () => ({ username: aName(), owner: admin.id }), 403, 'admin_required'],
    ['a name with a blank', async () => ({ username: 'de ploys' }), 400, 'invalid_parameter'],
    ['no name', async () => ({}), 400, 'missing_parameter'],
  ])('POST /api/bots refuses %s', async (_what, body, status, code) => {
    const { token } = await anAccount();
    expect(await create(token, await body())).toMatchObject(refused(status, code));
  });

  it.each<[what: string, owner: () => Promise<string>, status: number, code: string]>([
    ['does not exist', async () => new ObjectId().toHexString(), 404, 'user_not_found'],
    ['is a bot', async () => (await aBot()).id, 403, 'bot_refused'],
    ['is deactivated', async () => deactivated((await anAccount()).id), 404, 'user_not_found'],
  ])('neither POST nor PATCH gives a bot to an owner who %s', async (_what, owner, status, code) => {
    const wanted = await owner();
    expect(await create(admin.token, { username: aName(), owner: wanted })).toMatchObject(refused(status, code));
    const { path } = await aBot();
    expect(await inProcess('PATCH', path, { token: admin.token, body: { owner: wanted } })).toMatchObject(refused(status, code));
  });

  it('PATCH of a bot renames it, and an administrator changes its owner and thereby ends its tokens', async () => {
    const [first, second] = [await anAccount(), await anAccount()];
    const bot = await aBot(first, { name: 'Old' });
    const change = (token: string, body: object) => inProcess('PATCH', bot.path, { token, body });
    expect((await change(first.token, { name: 'New' })).body).toMatchObject({ name: 'New' });
    expect((await change(first.token, { name: '' })).body).not.toHaveProperty('name');
    expect(await isValid(bot.token)).toBe(true);
    expect(outcome(await change(first.token, { owner: second.id }))).toEqual(refusals.denied());
    expect((await change(admin.token, { owner: second.id })).body).toMatchObject({ owner: { $oid: second.id } });
    expect(await isValid(bot.token)).toBe(false);
    expect(outcome(await change(first.token, { name: 'Mine' }))).toEqual(refusals.noSuch('bot'));
    expect((await change(admin.token, { owner: null })).body).toMatchObject({ owner: null });
    expect(outcome(await inProcess('GET', bot.path, { token: second.token }))).toEqual(refusals.noSuch('bot'));
    expect((await inProcess('GET', bot.path, { token: admin.token })).status).toBe(200);
  });

  it('DELETE of a bot ends its tokens, and its messages stay', async () => {
    const owner = await anAccount();
    const bot = await aBot(owner);
    const room = await aRoom({ owner });
    await addMember(room, bot);
    await succeed(inProcess('POST', '/api/messages', { token: bot.token, body: { room: room.id, text: 'Deployed' } }));
    expect(outcome(await inProcess('DELETE', bot.path, { token: (await anAccount()).token }))).toEqual(refusals.noSuch('bot'));
    expect(outcome(await inProcess('DELETE', bot.path, { token: owner.token }))).toEqual({ status: 204, body: '' });
    expect(await isValid(bot.token)).toBe(false);
    const [message] = (await inProcess('GET', `/api/messages?room=${room.id}`, { token: owner.token })).body as Message[];
    expect(message).toMatchObject({ text: 'Deployed', username: '(deleted)' });
    expect((await inProcess('GET', '/api/bots', { token: owner.token })).body).toEqual([]);
  });

  it('/api/bots is about bots alone: a person is not found there, not even by administrators', async () => {
    const { id } = await anAccount();
    for (const method of ['GET', 'DELETE'])
      expect(outcome(await inProcess(method, `/api/bots/${id}`, { token: admin.token }))).toEqual(refusals.noSuch('bot'));
    const body = { name: 'Robot' };
    expect(outcome(await inProcess('PATCH', `/api/bots/${id}`, { token: admin.token, body }))).toEqual(refusals.noSuch('bot'));
  });
});

async function invitationTo({ path, owner }: TestRoom): Promise<string> {
  const { body } = await succeed(inProcess('POST', `${path}/invitations`, { token: owner.token, body: {} }));
  return (body as { code: string }).code;
}

const deactivated = async (id: string) => (await changeUser(new ObjectId(id), { is_active: false }))._id.$oid;

describe('the tokens of a bot', () => {
  const createFor = (token: string, user: string, body: object) =>
    inProcess('POST', '/api/tokens', { token, body: { name: aName(), user, current_password: 'correct horse', ...body } });

  it.each([
    ['its owner', (owner: { token: string }) => owner.token],
    ['an administrator', () => admin.token],
  ])('the tokens of a bot are created, listed and revoked by %s', async (_who, tokenOf) => {
    const owner = await anAccount();
    const bot = await aBot(owner);
    const manager = tokenOf(owner);
    const created = (await createFor(manager, bot.id, { scopes: ['messages:write'] })).body as {
      _id: { $oid: string };
      token: string;
    };
    const listed = await inProcess('GET', `/api/tokens?user=${bot.id}`, { token: manager });
    expect((listed.body as object[]).length).toBe(2);
    expect(listed.body).toContainEqual(
      expect.objectContaining({ _id: created._id, user: { $oid: bot.id }, scopes: ['messages:write'] }),
    );
    expect(JSON.stringify(listed.body)).not.toContain(created.token);
    expect((await inProcess('GET', `/api/tokens/${created._id.$oid}`, { token: manager })).status).toBe(200);
    expect((await inProcess('DELETE', `/api/tokens/${created._id.$oid}`, { token: manager })).status).toBe(204);
    expect(await isValid(created.token)).toBe(false);
  });

  it('the tokens of a bot do not exist for other users', async () => {
    const [owner, other] = [await anAccount(), await anAccount()];
    const bot = await aBot(owner);
    const [{ _id } = { _id: { $oid: '' } }] = (await inProcess('GET', `/api/tokens?user=${bot.id}`, { token: owner.token }))
      .body as {
      _id: { $oid: string };
    }[];
    expect(outcome(await createFor(other.token, bot.id, { scopes: ['account'] }))).toEqual(refusals.denied());
    expect(outcome(await inProcess('GET', `/api/tokens?user=${bot.id}`, { token: other.token }))).toEqual(refusals.denied());
    expect((await inProcess('GET', `/api/tokens/${_id.$oid}`, { token: other.token })).status).toBe(404);
    expect((await inProcess('DELETE', `/api/tokens/${_id.$oid}`, { token: other.token })).status).toBe(404);
    const unknown = new ObjectId().toHexString();
    expect(outcome(await inProcess('GET', `/api/tokens?user=${unknown}`, { token: admin.token }))).toEqual(
      refusals.noSuch('user'),
    );
    expect(await isValid(bot.token)).toBe(true);
  });

  it('the tokens of a bot have at least one scope, so that a bot makes no tokens that its owner has not seen', async () => {
    const owner = await anAccount();
    const bot = await aBot(owner);
    for (const token of [owner.token, admin.token])
      expect(await createFor(token, bot.id, { current_password: owner.password })).toMatchObject(
        refused(400, 'invalid_parameter'),
      );
    const body = { name: aName(), scopes: ['account'] };
    expect(outcome(await inProcess('POST', '/api/tokens', { token: bot.token, body }))).toEqual(
      refusals.denied('A token without scopes is required.'),
    );
  });

  it.each<[what: string, end: (owner: ObjectId) => Promise<unknown>, ownerAfter: 'same' | 'none']>([
    ['is deactivated', (owner) => changeUser(owner, { is_active: false }), 'same'],
    ['is deleted', (owner) => deleteUser(owner), 'none'],
  ])('the tokens of a bot end when its owner %s, and an administrator takes it over', async (_what, end, after) => {
    const [owner, heir] = [await anAccount(), await anAccount()];
    const [bot, other] = [await aBot(owner), await aBot()];
    await end(new ObjectId(owner.id));
    expect(await isValid(bot.token)).toBe(false);
    expect(await isValid(other.token)).toBe(true);
    const { body } = await inProcess('GET', bot.path, { token: admin.token });
    expect(body).toMatchObject({ owner: after === 'same' ? { $oid: owner.id } : null, is_active: true });
    await succeed(inProcess('PATCH', bot.path, { token: admin.token, body: { owner: heir.id } }));
    const made = (await createFor(heir.token, bot.id, { scopes: ['account'] })).body as { token: string };
    expect(await isValid(made.token)).toBe(true);
  });

  it('the tokens of a bot end when an administrator deactivates the bot itself', async () => {
    const bot = await aBot();
    await succeed(inProcess('PATCH', `/api/users/${bot.id}`, { token: admin.token, body: { is_active: false } }));
    expect(await isValid(bot.token)).toBe(false);
  });
});

describe('attempts to sign in as a bot', () => {
  const accountIsBot = refused(409, 'account_is_bot');

  it.each<[what: string, tried: () => Promise<Reply>, expected: object]>([
    ['by its name', () => logIn(inProcess, bot.username, 'correct horse', anAddress()), refused(401, 'unauthenticated')],
    ['by an empty password', () => logIn(inProcess, bot.username, '', anAddress()), refused(400, 'invalid_parameter')],
    ['by a password that an administrator sets', () => changeAs(admin.token, { password: 'another horse' }), accountIsBot],
    ['by an address that an administrator sets', () => changeAs(admin.token, { email: 'bot@example.org' }), accountIsBot],
    [
      'by a password that its own token sets',
      () => changeAs(bot.token, { password: 'another horse' }),
      refused(403, 'fresh_sign_in_required'),
    ],
    [
      'by an address that its own token sets',
      () => changeAs(bot.token, { email: 'bot@example.org' }),
      refused(403, 'fresh_sign_in_required'),
    ],
    [
      'by a code of an administrator',
      () => inProcess('POST', `/api/users/${bot.id}/codes`, { token: admin.token, body: {} }),
      accountIsBot,
    ],
    [
      'by a session of its token',
      () => inProcess('POST', '/api/sessions', { token: bot.token, body: { username: bot.username, password: bot.token } }),
      refused(401, 'unauthenticated'),
    ],
  ])('nobody signs in as a bot %s', async (_what, tried, expected) => {
    expect(await tried()).toMatchObject(expected);
    const stored = await users.findOne({ _id: new ObjectId(bot.id) });
    for (const field of ['password_hash', 'email', 'email_key', 'identity', 'second_factor'])
      expect(stored).not.toHaveProperty(field);
    expect(await inProcess('GET', `/api/sessions?user=${bot.id}`, { token: admin.token })).toMatchObject({
      status: 200,
      body: [],
    });
  });

  const changeAs = (token: string, body: object) => inProcess('PATCH', `/api/users/${bot.id}`, { token, body });

  it('a bot cannot become an administrator or set up a second factor', async () => {
    expect(await changeAs(admin.token, { is_admin: true })).toMatchObject(accountIsBot);
    expect((await changeAs(bot.token, { is_admin: true })).status).toBe(403);
    expect((await inProcess('POST', '/api/second-factor', { token: bot.token, body: {} })).status).toBe(403);
    expect((await inProcess('GET', '/api/settings', { token: bot.token })).status).toBe(403);
  });
});

describe('a bot', () => {
  it('a bot is in no room until somebody with the right adds it, also if every new account joins one', async () => {
    const owner = await anAccount();
    const room = await aRoom({ owner });
    await rooms.updateOne({ _id: new ObjectId(room.id) }, { $set: { is_default: true } });
    try {
      const bot = await aBot();
      expect((await inProcess('GET', '/api/members?user=me', { token: bot.token })).body).toEqual([]);
      await addMember(room, bot);
      expect((await inProcess('GET', '/api/members?user=me', { token: bot.token })).body).toMatchObject([
        { room: { $oid: room.id } },
      ]);
    } finally {
      await rooms.updateOne({ _id: new ObjectId(room.id) }, { $unset: { is_default: '' } });
    }
  });

  it.each<[what: string, ask: (room: TestRoom, bot: TestBot) => Promise<object>]>([
    ['an open room', async ({ id }) => ({ room: id })],
    ['an open room, naming itself', async ({ id }, { username }) => ({ room: id, username })],
    ['a room by an invitation', async (room) => ({ invitation: await invitationTo(room) })],
  ])('a bot that tries to join by itself is refused: %s', async (_what, ask) => {
    const room = await aRoom({ is_open: true, is_visible: true });
    const [bot, person] = [await aBot(), await anAccount()];
    const join = async (by: { username: string; token: string }) =>
      inProcess('POST', '/api/members', { token: by.token, body: await ask(room, { ...bot, ...by }) });
    expect(await join(bot)).toMatchObject(refused(403, 'bot_refused'));
    expect((await inProcess('GET', '/api/members?user=me', { token: bot.token })).body).toEqual([]);
    expect((await join(person)).status).toBe(201);
  });

  it('a bot adds others to a room in which it is a moderator', async () => {
    const [room, bot, person] = [await aRoom(), await aBot(), await anAccount()];
    await addMember(room, bot, 'moderator');
    const body = { room: room.id, user: person.id };
    expect((await inProcess('POST', '/api/members', { token: bot.token, body })).status).toBe(201);
  });

  it('a bot is marked wherever it is shown: its messages, members, people, conversations and mentions', async () => {
    const owner = await anAccount();
    const bot = await aBot(owner);
    const room = await aRoom({ owner });
    await addMember(room, bot);
    await aMessage(bot, room.id, { text: 'Deployed' });
    const read = async (path: string) => (await succeed(inProcess('GET', path, { token: owner.token }))).body;
    const [message] = (await read(`/api/messages?room=${room.id}`)) as Message[];
    expect(message).toMatchObject({ username: bot.username, is_bot: true });
    const members = (await read(`/api/members?room=${room.id}`)) as Member[];
    expect(members.map(({ username, is_bot }) => [username, is_bot])).toEqual([
      [owner.username, undefined],
      [bot.username, true],
    ]);
    expect(await read(`/api/users?q=${bot.username}`)).toMatchObject([{ username: bot.username, is_bot: true }]);
    expect(await read(`/api/users?username=${bot.username}`)).toMatchObject([{ is_bot: true }]);
    expect(await read(`/api/users/${bot.id}`)).toMatchObject({ is_bot: true });
    const events = (await read(`/api/events?room=${room.id}&after=0`)) as { data: { username?: string; is_bot?: true } | null }[];
    const ofBot = events.filter(({ data }) => data?.username === bot.username);
    expect(ofBot.length).toBeGreaterThan(1);
    for (const { data } of ofBot) expect(data).toMatchObject({ is_bot: true });
    await succeed(inProcess('POST', '/api/conversations', { token: owner.token, body: { users: [bot.id] } }));
    const [conversation] = ((await read('/api/members?user=me')) as Member[]).filter(({ others }) => others);
    expect(conversation?.others).toMatchObject([{ username: bot.username, is_bot: true }]);
    expect((await read('/api/users/me')) as object).not.toHaveProperty('is_bot');
  });

  it('a bot has no notifications on devices, by none of its tokens', async () => {
    const { token } = await aBot();
    const body = {
      endpoint: 'https://fcm.googleapis.com/fcm/send/1',
      p256dh: 'B'.repeat(87),
      auth: 'A'.repeat(22),
      key: 'B'.repeat(87),
    };
    expect((await inProcess('PUT', '/api/push-subscription', { token, body })).status).toBe(409);
  });

  it('a bot creates no bots, and answers for none', async () => {
    const { token } = await aBot();
    expect(await inProcess('POST', '/api/bots', { token, body: { username: aName() } })).toMatchObject(
      refused(403, 'bot_refused'),
    );
    expect((await inProcess('GET', '/api/bots', { token })).body).toEqual([]);
  });

  it('a bot does what its scopes allow, and nothing else', async () => {
    const owner = await anAccount();
    const bot = await aBot(owner, { allowed: ['messages:read'] });
    const room = await aRoom({ owner });
    await addMember(room, bot);
    expect((await inProcess('GET', `/api/messages?room=${room.id}`, { token: bot.token })).status).toBe(200);
    const body = { room: room.id, text: 'Deployed' };
    expect(outcome(await inProcess('POST', '/api/messages', { token: bot.token, body }))).toEqual(
      refusals.denied("The token lacks the 'messages:write' scope."),
    );
    expect(botScopes).toContain('messages:write');
  });
});
