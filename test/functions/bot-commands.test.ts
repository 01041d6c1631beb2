import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ObjectId } from 'mongodb';
import { Webhook as Verifier } from 'standardwebhooks';
import { describe, expect, it } from 'vitest';
import { changeUser } from '../../lib/accounts/accounts.ts';
import { deleteUser } from '../../lib/accounts/deletion.ts';
import { type CommandDocument, commands } from '../../lib/collections/delivery/commands.ts';
import type { Message } from '../../lib/messages/messages.ts';
import { config } from '../../lib/settings/config.ts';
import { aName, anAccount, anAdmin } from '../support/accounts.ts';
import { aBot } from '../support/bots.ts';
import { withPatience } from '../support/config.ts';
import { refusals } from '../support/error-bodies.ts';
import { aMessage } from '../support/messages.ts';
import { anyDate, outcome } from '../support/responses.ts';
import { addMember, aRoom, succeed, type TestRoom } from '../support/rooms.ts';
import { inProcess as call } from '../support/transports.ts';
import { type Answer, aReceiver, useWebhookReceivers } from '../support/webhook-receiver.ts';

useWebhookReceivers();

const admin = await anAdmin();
const refused = (status: number, code: string) => ({ status, body: { code } });
const nothing = { message: null, text: null };

/** A room with a bot and a command, and the command's receiver. */
async function withCommand(answer: Answer = { status: 200, body: { text: 'Done' } }) {
  const room = await aRoom();
  const bot = await aBot(room.owner, { name: 'Deploys' });
  await addMember(room, bot);
  const receiver = aReceiver();
  receiver.answer = () => answer;
  const name = aName();
  const { secret } = await register(bot, name, { url: receiver.url });
  const say = (body: object = {}, token = room.owner.token) =>
    call('POST', `${room.path}/commands`, { token, body: { command: name, ...body } });
  return { room, bot, receiver, name, secret, say };
}

async function register(bot: { path: string; token: string }, name: string, body: object): Promise<{ secret: string }> {
  const path = `${bot.path}/commands/${name}`;
  const asked = { description: 'Deploys the page', usage: '<environment>', ...body };
  return (await succeed(call('PUT', path, { token: bot.token, body: asked }))).body as { secret: string };
}

const read = async ({ id, owner }: TestRoom) =>
  (await succeed(call('GET', `/api/messages?room=${id}`, { token: owner.token }))).body as Message[];
const listed = async ({ path, owner }: TestRoom, token = owner.token) =>
  (await succeed(call('GET', `${path}/commands`, { token }))).body as { name: string }[];

describe('a slash command', () => {
  it('a bot registers a slash command, gets a new secret each time, and the command is listed for the bot and its rooms', async () => {
    const { room, bot, name, secret, receiver } = await withCommand();
    const again = await register(bot, name, { url: receiver.url, usage: '' });
    expect(again).toEqual({
      name,
      url: receiver.url,
      description: 'Deploys the page',
      usage: '',
      hint: again.secret.slice(-4),
      created_at: anyDate,
      secret: expect.stringMatching(/^whsec_[a-z0-9]{32}$/),
    });
    expect(again.secret).not.toBe(secret);
    const { secret: _, ...shown } = again;
    for (const token of [room.owner.token, admin.token]) {
      const { body } = await call('GET', bot.path, { token });
      expect(body).toMatchObject({ username: bot.username, commands: [shown] });
      expect(JSON.stringify(body)).not.toContain(again.secret);
    }
    expect(await listed(room)).toEqual([
      {
        name,
        description: 'Deploys the page',
        usage: '',
        bot: { _id: { $oid: bot.id }, username: bot.username, name: 'Deploys', is_bot: true },
      },
    ]);
  });

  it('a slash command is shown to the members of the rooms that its bot is in, and to nobody else', async () => {
    const { room, name } = await withCommand();
    const [member, stranger] = [await anAccount(), await anAccount()];
    await addMember(room, member);
    expect((await listed(room, member.token)).map((one) => one.name)).toEqual([name]);
    expect(outcome(await call('GET', `${room.path}/commands`, { token: stranger.token }))).toEqual(
      refusals.denied('Room membership required.'),
    );
    expect(await listed(await aRoom())).toEqual([]);
  });

  it('a slash command may have the name of another bot: in a room, it calls the bot that came there first', async () => {
    const { room, bot, name, receiver, say } = await withCommand();
    const [other, elsewhere] = [await aBot(room.owner), await aRoom()];
    const ofOther = aReceiver();
    ofOther.answer = () => ({ status: 200, body: { text: 'Other' } });
    await register(other, name, { url: ofOther.url, description: 'Mine' });
    for (const place of [room, elsewhere]) await addMember(place, other);
    const shown = async (of: TestRoom) => (await listed(of)).map((one) => (one as { bot?: { username: string } }).bot?.username);
    expect([await shown(room), await shown(elsewhere)]).toEqual([[bot.username], [other.username]]);
    await succeed(say());
    expect([receiver.asked.length, ofOther.asked.length]).toEqual([1, 0]);
    // Each bot has a command of its own.
    expect((await call('DELETE', `${bot.path}/commands/${name}`, { token: bot.token })).status).toBe(204);
    await succeed(say());
    expect([receiver.asked.length, ofOther.asked.length]).toEqual([1, 1]);
    expect(await shown(room)).toEqual([other.username]);
  });

  it('a slash command of an earlier version, stored under its name alone, is listed, called, changed and removed', async () => {
    const { room, bot, name, receiver, say } = await withCommand();
    const stored = (await commands.findOne({ bot: new ObjectId(bot.id) })) as CommandDocument;
    await commands.deleteOne({ _id: stored._id });
    await commands.insertOne({ ...stored, _id: name });
    expect((await listed(room)).map((one) => one.name)).toEqual([name]);
    await succeed(say());
    expect(receiver.asked).toHaveLength(1);
    expect(await register(bot, name, { url: receiver.url, usage: '' })).toMatchObject({ name, usage: '' });
    expect(await commands.countDocuments({ bot: new ObjectId(bot.id) })).toBe(1);
    expect((await call('DELETE', `${bot.path}/commands/${name}`, { token: bot.token })).status).toBe(204);
  });

  it.each<[what: string, name: string, body: object, status: number, code: string]>([
    ['a name that clients may have', 'me', {}, 409, 'command_taken'],
    ['a name with a capital letter', 'Deploy', {}, 400, 'invalid_parameter'],
    ['a name of 33 characters', 'x'.repeat(33), {}, 400, 'invalid_parameter'],
    ['no description', 'x1', { description: undefined }, 400, 'missing_parameter'],
    ['a usage of 101 characters', 'x2', { usage: 'x'.repeat(101) }, 400, 'invalid_parameter'],
    ['an address within the machine', 'x3', { url: 'https://127.0.0.1/' }, 403, 'webhook_receiver_refused'],
    ['an address without encryption', 'x4', { url: 'http://example.org/' }, 403, 'webhook_receiver_refused'],
    ['an address of metadata', 'x5', { url: 'https://169.254.169.254/latest' }, 403, 'webhook_receiver_refused'],
    ['something else than an address', 'x6', { url: 'example.org' }, 400, 'invalid_parameter'],
  ])('a slash command is refused with %s', async (_what, name, body, status, code) => {
    const bot = await aBot();
    const asked = { url: 'https://bot.example.org/', description: 'Deploys', ...body };
    expect(await call('PUT', `${bot.path}/commands/${name}`, { token: bot.token, body: asked })).toMatchObject(
      refused(status, code),
    );
  });

  it('a slash command is one of fifty that a bot has at most', async () => {
    const bot = await aBot();
    const names = Array.from({ length: 50 }, aName);
    await Promise.all(names.map((name) => register(bot, name, { url: 'https://bot.example.org/' })));
    const body = { url: 'https://bot.example.org/', description: 'One too many' };
    expect(await call('PUT', `${bot.path}/commands/${aName()}`, { token: bot.token, body })).toMatchObject(
      refused(409, 'too_many_commands'),
    );
    // Existing commands can still be changed.
    expect((await call('PUT', `${bot.path}/commands/${names[0]}`, { token: bot.token, body })).status).toBe(200);
    expect((await call('DELETE', `${bot.path}/commands/${names[0]}`, { token: bot.token })).status).toBe(204);
    expect((await call('PUT', `${bot.path}/commands/${aName()}`, { token: bot.token, body })).status).toBe(200);
  });

  it('a slash command has texts that are stored as they are, also where they look like expressions of the database', async () => {
    const { room, bot, name } = await withCommand();
    await register(bot, name, { url: 'https://bot.example.org/', description: '$secret', usage: '$$NOW' });
    expect(await listed(room)).toMatchObject([{ description: '$secret', usage: '$$NOW' }]);
  });

  it.each<[what: string, end: (own: { owner: ObjectId; bot: ObjectId }) => Promise<unknown>]>([
    ['when its owner is deactivated', ({ owner }) => changeUser(owner, { is_active: false })],
    ['when its owner is deleted', ({ owner }) => deleteUser(owner)],
    ['when its bot is deleted', ({ bot }) => deleteUser(bot)],
    [
      'when its bot is given to another owner',
      ({ bot }) => call('PATCH', `/api/bots/${bot}`, { token: admin.token, body: { owner: null } }),
    ],
    ['when its bot is deactivated', ({ bot }) => changeUser(bot, { is_active: false })],
  ])('a slash command ends %s', async (_what, end) => {
    const owner = await anAccount();
    const { room, bot, name, receiver } = await withCommand();
    await call('PATCH', bot.path, { token: admin.token, body: { owner: owner.id } });
    const body = { url: receiver.url, description: 'Deploys' };
    await succeed(call('PUT', `${bot.path}/commands/${name}`, { token: owner.token, body }));
    expect((await listed(room)).length).toBe(1);
    await end({ owner: new ObjectId(owner.id), bot: new ObjectId(bot.id) });
    expect(await listed(room)).toEqual([]);
    const { token } = room.owner;
    expect((await call('POST', `${room.path}/commands`, { token, body: { command: name } })).status).toBe(404);
    expect(receiver.asked).toEqual([]);
  });
});

describe('a call of a slash command', () => {
  it('a call of a slash command asks the bot who, where and what, signed as Standard Webhooks are', async () => {
    const { room, receiver, name, secret, say } = await withCommand();
    await succeed(say({ text: 'production now' }));
    const [asked] = receiver.asked;
    expect(JSON.parse(asked?.body ?? '')).toEqual({
      seq: expect.any(Number),
      type: 'command.called',
      at: anyDate,
      command: name,
      text: 'production now',
      room: { _id: { $oid: room.id }, name: 'General' },
      user: { _id: { $oid: room.owner.id }, username: room.owner.username },
      thread: null,
    });
    const verified = new Verifier(secret).verify(asked?.body ?? '', asked?.headers as Record<string, string>);
    expect(verified).toMatchObject({ type: 'command.called' });
  });

  it('a call of a slash command is signed by the secret of the registration before as well, for another process of the same program', async () => {
    const { bot, receiver, name, secret, say } = await withCommand();
    const others = await Promise.all([1, 2].map(() => register(bot, name, { url: receiver.url })));
    await succeed(say());
    const { body, headers } = receiver.asked[0] ?? { body: '', headers: {} };
    const verified = [secret, ...others.map((one) => one.secret)].map((one) =>
      new Verifier(one).verify(body, headers as Record<string, string>),
    );
    expect(verified).toMatchObject(Array(3).fill({ type: 'command.called' }));
  });

  it('a call of a slash command answers the caller alone unless the bot says otherwise, and leaves no trace in the room', async () => {
    const { room, say } = await withCommand({ status: 200, body: { text: 'Only **you** see this' } });
    expect(outcome(await say())).toEqual({ status: 200, body: { message: null, text: 'Only **you** see this' } });
    expect(await read(room)).toEqual([]);
  });

  it('a public answer to a slash command is a message of the bot, which mentions nobody', async () => {
    const { room, bot, say } = await withCommand({ status: 200, body: { text: 'Deployed for @room', visible_to: 'room' } });
    const { body } = await succeed(say());
    const message = { user: { $oid: bot.id }, text: 'Deployed for @room', is_bot: true };
    expect(body).toMatchObject({ text: null, message });
    const [stored] = await read(room);
    expect(stored).toEqual((body as { message: Message }).message);
    expect(stored?.mentions ?? []).toEqual([]);
  });

  it('a call of a slash command answers in the thread in which it was called', async () => {
    const { room, say } = await withCommand({ status: 200, body: { text: 'Here', visible_to: 'room' } });
    const root = await aMessage(room.owner, room.id);
    const { body } = await succeed(say({ thread: root._id.$oid }));
    expect(body).toMatchObject({ message: { thread: root._id } });
    expect(await say({ thread: new ObjectId().toHexString() })).toMatchObject(refused(404, 'message_not_found'));
  });

  it('a call of a slash command that is repeated under one id posts one message, and the bot gets the same id', async () => {
    const { room, receiver, say } = await withCommand({ status: 200, body: { text: 'Once', visible_to: 'room' } });
    const replies = await Promise.all(Array.from({ length: 4 }, () => say({ id: 'call-1' })));
    const ids = replies.map(({ body }) => (body as { message: Message }).message._id.$oid);
    expect(new Set(ids).size).toBe(1);
    expect(await read(room)).toHaveLength(1);
    expect(new Set(receiver.asked.map(({ id }) => id)).size).toBe(1);
    // Each caller has separate ids.
    const other = await anAccount();
    await addMember(room, other);
    await succeed(say({ id: 'call-1' }, other.token));
    expect(await read(room)).toHaveLength(2);
  });

  it('calls of slash commands with the same id in several rooms, or of several commands, each post an answer', async () => {
    const { room, bot, name, receiver, say } = await withCommand({ status: 200, body: { text: 'Here', visible_to: 'room' } });
    const [other, another] = [await aRoom({ owner: room.owner }), aName()];
    await addMember(other, bot);
    await register(bot, another, { url: receiver.url });
    await succeed(say({ id: 'call-1' }));
    await succeed(say({ id: 'call-1', command: another }));
    const body = { command: name, id: 'call-1' };
    await succeed(call('POST', `${other.path}/commands`, { token: room.owner.token, body }));
    expect([(await read(room)).length, (await read(other)).length]).toEqual([2, 1]);
    expect(new Set(receiver.asked.map(({ id }) => id)).size).toBe(3);
  });

  it.each<[what: string, answer: Answer]>([
    ['nothing', { status: 204 }],
    ['an empty text', { status: 200, body: { text: '' } }],
    ['an object without a text', { status: 200, body: {} }],
  ])('a call of a slash command shows nothing if the bot answers %s', async (_what, answer) => {
    const { room, say } = await withCommand(answer);
    expect(outcome(await say())).toEqual({ status: 200, body: nothing });
    expect(await read(room)).toEqual([]);
  });

  it.each<[what: string, answer: Answer, sentence: RegExp]>([
    ['does not answer in time', 'none', /^The bot did not answer in time, or cannot be reached\.$/],
    ['closes the connection', 'close', /cannot be reached/],
    ['answers with an error', { status: 500 }, /^The bot answered with an error \(500\)\.$/],
    ['answers with a redirect', { status: 302, headers: { location: 'http://127.0.0.1/' } }, /error \(302\)/],
    ['answers with more than 64 kB', { status: 200, body: { text: 'x'.repeat(70_000) } }, /not a JSON object of at most 64 kB/],
    ['answers with a list', { status: 200, body: ['Done'] }, /not a JSON object/],
    [
      'answers with a text that no message can have',
      { status: 200, body: { text: 'x'.repeat(10_001) } },
      /cannot be read: The 'text' parameter must/,
    ],
    ['answers somebody unknown', { status: 200, body: { text: 'Hi', visible_to: 'world' } }, /'visible_to' parameter must/],
  ])('a call of a slash command says so, and posts nothing, when the bot %s', async (_what, answer, sentence) => {
    const { room, say } = await withCommand(answer);
    // The caller's request has 10 seconds.
    expect(config.patienceMs.receiver).toBeLessThan(9_000);
    const reply = await withPatience({ receiver: 500 }, say);
    expect(reply).toMatchObject(refused(409, 'command_failed'));
    expect((reply.body as { description: string }).description).toMatch(sentence);
    expect(await read(room)).toEqual([]);
  });

  it('a call of a slash command reaches no listener within the machine from any registered address', async () => {
    let isHeard = false;
    const inner = createServer((_request, response) => {
      isHeard = true;
      response.end('{}');
    }).listen(0, '127.0.0.1');
    await once(inner, 'listening');
    const { port } = inner.address() as AddressInfo;
    const { bot, name, say } = await withCommand();
    // The name resolves to this machine, which is only detected at the look-up.
    await register(bot, name, { url: `https://localhost:${port}/` });
    const reply = await say();
    expect(reply).toMatchObject(refused(409, 'command_failed'));
    expect(JSON.stringify(reply.body)).not.toContain('127.0.0.1');
    expect(isHeard).toBe(false);
    inner.close();
  });

  it.each<
    [
      what: string,
      prepare: (with_: Awaited<ReturnType<typeof withCommand>>) => Promise<string | undefined>,
      status: number,
      code: string,
    ]
  >([
    ['somebody who is not in the room', async () => (await anAccount()).token, 403, 'membership_required'],
    ['an administrator who is not in the room', async () => admin.token, 403, 'membership_required'],
    ['members of an archived room', async ({ room }) => archive(room), 409, 'room_archived'],
    ['members of a room that the bot has left', async ({ room, bot }) => remove(room, bot), 404, 'command_not_found'],
  ])('a call of a slash command is refused to %s, and the bot is not asked', async (_what, prepare, status, code) => {
    const prepared = await withCommand();
    expect(await prepared.say({}, await prepare(prepared))).toMatchObject(refused(status, code));
    expect(prepared.receiver.asked).toEqual([]);
  });

  it('a call of a slash command is refused for an unknown command, and with an invalid id', async () => {
    const { say } = await withCommand({ status: 204 });
    expect(outcome(await say({ command: aName() }))).toEqual(refusals.noSuch('command'));
    expect(await say({ id: 'not an id' })).toMatchObject(refused(400, 'invalid_parameter'));
  });

  it('a call of a slash command waits its turn: no more than four requests are under way to one host, and those that wait too long fail', async () => {
    let [running, most] = [0, 0];
    const { room, say, receiver } = await withCommand();
    receiver.answer = async () => {
      most = Math.max(most, ++running);
      await new Promise((resolve) => setTimeout(resolve, 300));
      running--;
      return { status: 204 };
    };
    const statuses = (await Promise.all(Array.from({ length: 8 }, () => say()))).map(({ status }) => status);
    expect(statuses).toEqual(Array<number>(8).fill(200));
    expect(most).toBeLessThanOrEqual(4);
    expect(await read(room)).toEqual([]);
  });
});

async function archive(room: TestRoom): Promise<string> {
  const body = { archived: true };
  await succeed(call('PATCH', `${room.path}/details`, { token: room.owner.token, body }));
  return room.owner.token;
}

async function remove(room: TestRoom, bot: { id: string }): Promise<string> {
  const { token } = room.owner;
  const members = (await call('GET', `/api/members?room=${room.id}`, { token })).body as {
    _id: { $oid: string };
    user: { $oid: string };
  }[];
  const member = members.find(({ user }) => user.$oid === bot.id)?._id.$oid;
  await succeed(call('DELETE', `/api/members/${member}`, { token }));
  return token;
}
