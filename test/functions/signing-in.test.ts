import bcrypt from 'bcryptjs';
import { ObjectId } from 'mongodb';
import { describe, expect, it } from 'vitest';
import { users } from '../../lib/collections/accounts/users.ts';
import { aName, anAccount, anAddress, anAdmin, logIn } from '../support/accounts.ts';
import { refusals } from '../support/error-bodies.ts';
import { aMessage } from '../support/messages.ts';
import { outcome } from '../support/responses.ts';
import { addMember, aRoom, succeed } from '../support/rooms.ts';
import { inProcess as call } from '../support/transports.ts';

const signUp = (fields: object) =>
  call('POST', '/api/users', { source: anAddress(), body: { password: 'correct horse', ...fields } });
const statusOf = async (name: string, password = 'correct horse') => (await logIn(call, name, password)).status;

describe('a typed name, address or code', () => {
  it.each<[string, (name: string, email: string) => string]>([
    ['blanks around the name', (name) => ` ${name} `],
    ['a tab and a line break', (name) => `\t${name}\r\n`],
    ['blanks that nobody sees', (name) => `\ufeff${name}\u200b\u00a0`],
    ['the name as in a mention', (name) => `@${name}`],
    ['a capital letter', (name) => name.replace('u', 'U')],
    ['blanks around the address', (_name, email) => `  ${email}\u200b `],
  ])('a typed name or address may have %s', async (_what, typed) => {
    const { username, email } = await anAccount();
    expect(await statusOf(typed(username, email))).toBe(201);
  });

  it('a typed name, address or code is stored without blanks at a sign-up', async () => {
    const name = aName();
    const { body } = await signUp({ username: ` @${name} `, email: `\u200b${name}@example.org \n` });
    expect(body).toMatchObject({ user: { username: name, email: `${name}@example.org` } });
  });

  it('a typed name finds people and adds members also in the form of a mention', async () => {
    const room = await aRoom();
    const { username, id } = await anAccount();
    const { token } = room.owner;
    expect((await call('GET', `/api/users?username=%20%40${username}`, { token })).body).toMatchObject([{ _id: { $oid: id } }]);
    const added = await call('POST', '/api/members', { token, body: { room: room.id, username: `@${username} ` } });
    expect(added).toMatchObject({ status: 201, body: { username } });
  });

  it('a typed code may have blanks around it', async () => {
    const room = await aRoom();
    const { body } = await succeed(call('POST', `${room.path}/invitations`, { token: room.owner.token, body: {} }));
    const { code } = body as { code: string };
    const guest = await anAccount();
    const joined = await call('POST', '/api/members', { token: guest.token, body: { invitation: ` ${code}\u200b\r\n` } });
    expect(joined.status).toBe(201);
  });

  it.each([' ', '\u200b', '\u2800\n'])('a typed text of invisible characters alone is refused: %j', async (name) => {
    expect(outcome(await logIn(call, name, 'x'))).toEqual(refusals.invalid('username', 'be a text that is not empty'));
  });
});

describe('a password with an accent', () => {
  const composed = 'caf\u00e9 correct';
  const decomposed = 'cafe\u0301 correct';

  it('a password with an accent is the same from every keyboard', async () => {
    for (const [set, typed] of [
      [composed, decomposed],
      [decomposed, composed],
    ] as const) {
      const { username } = await anAccount({ password: set });
      expect([await statusOf(username, typed), await statusOf(username, set)]).toEqual([201, 201]);
      expect(await statusOf(username, 'cafe correct')).toBe(401);
    }
  });

  it('a password with an accent is accepted for accounts whose hash is of the form that one keyboard sent', async () => {
    const { id, username, token } = await anAccount();
    await users.updateOne({ _id: new ObjectId(id) }, { $set: { password_hash: await bcrypt.hash(decomposed, 4) } });
    expect([await statusOf(username, decomposed), await statusOf(username, composed)]).toEqual([201, 201]);
    const changed = await call('PATCH', '/api/users/me', {
      token,
      body: { email: `${aName()}@example.org`, current_password: composed },
    });
    expect(changed.status).toBe(200);
  });

  it('a password has no control characters', async () => {
    const { username } = await anAccount();
    const fault = 'not have the control character U+0000 (line 1, character 8)';
    expect(outcome(await logIn(call, username, 'correct\u0000horse'))).toEqual(refusals.invalid('password', fault));
    const refused = await signUp({ username: aName(), email: `${aName()}@example.org`, password: 'correct\u0000horse' });
    expect(refused.status).toBe(400);
  });
});

describe('an address with an internationalised domain', () => {
  const forms = (name: string) => [
    `${name}@bücher.example`,
    `${name}@xn--bcher-kva.example`,
    `${name}@BÜCHER.example`,
    `${name}@bu\u0308cher.example.`,
    `${name}@bücher。example`,
  ];

  it('an address with an internationalised domain is the same address in every spelling', async () => {
    for (const first of [0, 1]) {
      const name = aName();
      expect((await signUp({ username: name, email: forms(name)[first] })).status).toBe(201);
      for (const email of forms(name)) {
        expect(outcome(await signUp({ username: aName(), email }))).toEqual(
          refusals.conflict('The e-mail address is already in use.'),
        );
        expect(await statusOf(email)).toBe(201);
      }
      const other = await anAccount();
      const body = { email: forms(name)[1 - first], current_password: other.password };
      expect((await call('PATCH', '/api/users/me', { token: other.token, body })).status).toBe(409);
    }
  });

  it.each([0, 1])('an internationalised address is also the same for accounts with an older key (%i)', async (at) => {
    const name = aName();
    await signUp({ username: name, email: forms(name)[at] });
    await users.updateOne({ username: name }, { $set: { email_key: forms(name)[at] as string } });
    for (const email of forms(name)) {
      expect(await statusOf(email)).toBe(201);
      expect((await signUp({ username: aName(), email })).status).toBe(409);
    }
  });

  it.each([
    ...['ann@exa mple.org', 'ann@', '\u200b@example.org', 'ann@\u2800', 'a\u0007b@example.org', 'ann\u{e0041}@example.org'],
    ...[...'<>()[]:;,\\"'].flatMap((sign) => [`ann${sign}@example.org`, `ann@${sign}example.org`]),
    ...['<ann@example.org>', 'ann@a^b', 'ann@example.org/x', 'ann@example.org#x'],
  ])('an internationalised address is refused if it is not an address: %j', async (email) => {
    expect(outcome(await signUp({ username: aName(), email }))).toEqual(refusals.invalid('email', 'be an e-mail address'));
  });
});

describe('a name', () => {
  it.each(['ann.', 'a..', '0123456789abcdef01234567', 'ABCDEFABCDEFABCDEFABCDEF'])('a name cannot be %s', async (name) => {
    const rule =
      'be 1 to 64 letters, digits, dots, underscores or hyphens, and begin with a letter or a digit, not end in a dot, and not be 24 hexadecimal digits';
    const account = { username: name, email: `${aName()}@example.org` };
    const refusal = refusals.invalid('username', rule);
    expect(outcome(await signUp(account))).toEqual(refusal);
    const { token } = await anAdmin();
    const byAdmin = await call('POST', '/api/users', { token, body: { ...account, password: 'correct horse' } });
    expect(outcome(byAdmin)).toEqual(refusal);
  });

  it.each(['ends in a dot', 'looks like an id'])('a name of an older account that %s works as before', async (kind) => {
    const { id } = await anAccount();
    const name = kind === 'ends in a dot' ? `${aName()}.` : new ObjectId().toHexString();
    await users.updateOne({ _id: new ObjectId(id) }, { $set: { username: name } });
    expect(await statusOf(name)).toBe(201);
    const room = await aRoom();
    const { token } = room.owner;
    const added = await call('POST', '/api/members', { token, body: { room: room.id, username: name } });
    expect(added).toMatchObject({ status: 201, body: { user: { $oid: id } } });
    expect((await aMessage(room.owner, room.id, { text: `@${name}` })).mentions).toEqual([{ $oid: id }]);
    expect(await call('POST', '/api/conversations', { token, body: { users: [name] } })).toMatchObject({
      status: 201,
      body: { members: expect.arrayContaining([{ $oid: id }]) },
    });
  });
});

describe('a conversation', () => {
  it('a conversation refuses messages when nobody else is left in it, and can still be read', async () => {
    const [ann, bob] = [await anAccount(), await anAccount()];
    const { body } = await succeed(call('POST', '/api/conversations', { token: ann.token, body: { users: [bob.username] } }));
    const room = (body as { _id: { $oid: string } })._id.$oid;
    await aMessage(bob, room, { text: 'bye' });
    await succeed(call('DELETE', '/api/users/me', { token: bob.token, body: { current_password: bob.password } }));
    const sent = await call('POST', '/api/messages', { token: ann.token, body: { room, text: 'are you there?' } });
    expect(outcome(sent)).toEqual(refusals.conflict('Nobody else is left in the conversation.'));
    expect((await call('GET', `/api/messages?room=${room}`, { token: ann.token })).body).toMatchObject([{ text: 'bye' }]);
  });

  it('a conversation accepts messages while one of several others is left', async () => {
    const [ann, bob, eve] = [await anAccount(), await anAccount(), await anAccount()];
    const users = [bob.username, eve.username];
    const { body } = await succeed(call('POST', '/api/conversations', { token: ann.token, body: { users } }));
    await succeed(call('DELETE', '/api/users/me', { token: bob.token, body: { current_password: bob.password } }));
    await aMessage(ann, (body as { _id: { $oid: string } })._id.$oid);
  });

  it('a room with one member accepts messages, unlike a conversation', async () => {
    const room = await aRoom();
    await aMessage(room.owner, room.id);
    await addMember(room, await anAccount());
  });
});
