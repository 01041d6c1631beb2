import { ObjectId } from 'mongodb';
import { Webhook as Verifier } from 'standardwebhooks';
import { describe, expect, it } from 'vitest';
import { changeUser } from '../../lib/accounts/accounts.ts';
import { deleteUser } from '../../lib/accounts/deletion.ts';
import { botWebhooks } from '../../lib/collections/delivery/bot-webhooks.ts';
import { webhookStates } from '../../lib/collections/delivery/webhook-states.ts';
import { events } from '../../lib/collections/rooms/events.ts';
import { messages } from '../../lib/collections/rooms/messages.ts';
import { rooms } from '../../lib/collections/rooms/rooms.ts';
import { audit } from '../../lib/collections/service/audit.ts';
import { forgetBotWebhook } from '../../lib/identity/bot-rules.ts';
import { countOff } from '../../lib/members/all-made.ts';
import type { Message } from '../../lib/messages/messages.ts';
import { deliverOfRoom } from '../../lib/senders/deliver.ts';
import { findUndelivered, retryDeliveries } from '../../lib/senders/retry.ts';
import { type Account, anAccount, anAdmin } from '../support/accounts.ts';
import { aBot, type TestBot } from '../support/bots.ts';
import { nextMillisecond } from '../support/clock.ts';
import { useOwnDatabase } from '../support/config.ts';
import { refusals } from '../support/error-bodies.ts';
import { aMessage } from '../support/messages.ts';
import { anyDate, outcome } from '../support/responses.ts';
import { addMember, aRoom, everyPage, succeed } from '../support/rooms.ts';
import { inProcess as call } from '../support/transports.ts';
import { aReceiver, type Receiver, useWebhookReceivers } from '../support/webhook-receiver.ts';

useWebhookReceivers();
useOwnDatabase();

const admin = await anAdmin();
const textsTo = ({ taken }: Receiver) => taken.map(({ event }) => (event.data as Message | null)?.text);
const pathOf = ({ path }: TestBot) => `${path}/webhook`;
const put = async (bot: TestBot, owner: Account, url: string) =>
  (await succeed(call('PUT', pathOf(bot), { token: owner.token, body: { url } }))).body as { secret: string };

/** A bot in a room of its owner, with a webhook and its receiver. */
async function withWebhook() {
  const room = await aRoom();
  const { owner } = room;
  const bot = await aBot(owner, { name: 'Deploys' });
  const member = await addMember(room, bot);
  const receiver = aReceiver();
  const { secret } = await put(bot, owner, receiver.url);
  const find = async () => (await call('GET', pathOf(bot), { token: owner.token })).body as Record<string, unknown>;
  const change = (body: object) => call('PATCH', pathOf(bot), { token: owner.token, body });
  const deliver = () => deliverOfRoom(room.id);
  /** Makes the next attempt due. */
  const hurry = () => webhookStates.updateMany({ bot: new ObjectId(bot.id) }, { $set: { retry_at: new Date(0) } });
  const mention = (text: string) => aMessage(owner, room.id, { text: `@${bot.username} ${text}` });
  const textsOf = () => textsTo(receiver).map((text) => text?.replace(`@${bot.username} `, ''));
  return { room, owner, bot, member, receiver, secret, find, change, deliver, hurry, mention, textsOf };
}

/** Opens a direct conversation of somebody with a bot. */
async function conversation({ token }: Account, { username }: TestBot, ...others: Account[]): Promise<string> {
  const body = { users: [username, ...others.map((one) => one.username)] };
  const reply = await succeed(call('POST', '/api/conversations', { token, body }));
  return (reply.body as { _id: { $oid: string } })._id.$oid;
}

describe('the webhook of a bot', () => {
  it('the webhook of a bot is created by its owner, shows its secret this once, and is read by the owner and administrators', async () => {
    const owner = await anAccount();
    const bot = await aBot(owner);
    const { url } = aReceiver();
    const created = await call('PUT', pathOf(bot), { token: owner.token, body: { url } });
    const { secret, ...shown } = created.body as { secret: string };
    expect(secret).toMatch(/^whsec_[a-z0-9]{32}$/);
    const choice = { events: ['message.created'], messages: 'addressed' };
    const bare = {
      bot: { $oid: bot.id },
      url,
      ...choice,
      hint: secret.slice(-4),
      created_at: anyDate,
      disabled_at: null,
      deliveries: [],
    };
    expect(shown).toEqual(bare);
    for (const token of [owner.token, admin.token])
      expect(outcome(await call('GET', pathOf(bot), { token }))).toEqual({ status: 200, body: bare });
  });

  it.each(['GET', 'PUT', 'POST', 'PATCH', 'DELETE'] as const)(
    'the webhook of a bot does not exist for others or for the bot itself: %s',
    async (method) => {
      const { bot } = await withWebhook();
      const body = method === 'PUT' ? { url: 'https://bot.example.org/' } : {};
      for (const { token } of [await anAccount(), bot])
        expect(outcome(await call(method, pathOf(bot), { token, ...(method !== 'GET' && { body }) }))).toEqual(
          refusals.noSuch('bot'),
        );
    },
  );

  it('the webhook of a bot is not found before its creation and after its removal', async () => {
    const owner = await anAccount();
    const bot = await aBot(owner);
    const ask = (method: 'GET' | 'POST' | 'PATCH' | 'DELETE') =>
      call(method, pathOf(bot), { token: owner.token, ...(['POST', 'PATCH'].includes(method) && { body: {} }) });
    for (const method of ['GET', 'POST', 'PATCH', 'DELETE'] as const)
      expect(outcome(await ask(method))).toEqual(refusals.noSuch('webhook'));
    await put(bot, owner, aReceiver().url);
    expect((await ask('DELETE')).status).toBe(204);
    expect(outcome(await ask('GET'))).toEqual(refusals.noSuch('webhook'));
  });

  it.each(['http://example.org/', 'https://127.0.0.1/', 'https://169.254.169.254/'])(
    'the webhook of a bot is refused with the address %s',
    async (url) => {
      const owner = await anAccount();
      const bot = await aBot(owner);
      expect(await call('PUT', pathOf(bot), { token: owner.token, body: { url } })).toMatchObject({
        status: 403,
        body: { code: 'webhook_receiver_refused' },
      });
    },
  );

  it('the webhook of a bot is sent what mentions the bot in its rooms, and nothing else that is said there, signed as all webhooks are', async () => {
    const { room, bot, owner, receiver, secret, deliver, mention } = await withWebhook();
    await aMessage(owner, room.id, { text: 'not for programs' });
    await aMessage(owner, room.id, { text: '@room everybody' });
    const { seq } = await mention('status?');
    await aMessage(bot, room.id, { text: `@${bot.username} to itself` });
    expect(await deliver()).toBe('all');
    expect(textsTo(receiver)).toEqual([`@${bot.username} status?`]);
    const [{ id, body, headers } = { id: '', body: '', headers: {} }] = receiver.taken;
    expect(id).toBe(`${room.id}:${seq}:${bot.id}`);
    const verified = new Verifier(secret).verify(body, headers as Record<string, string>);
    expect(verified).toMatchObject({ type: 'message.created', room: { $oid: room.id }, actor: { $oid: owner.id } });
  });

  it('the webhook of a bot is sent everything that others say in a direct conversation, also in one that begins later', async () => {
    const { bot, receiver } = await withWebhook();
    const [ann, bob] = [await anAccount(), await anAccount()];
    const two = await conversation(ann, bot);
    const three = await conversation(ann, bot, bob);
    await aMessage(ann, two, { text: 'Hello, bot' });
    await aMessage(bob, three, { text: 'Hello, all' });
    await aMessage(bot, three, { text: 'Hello, people' });
    for (const id of [two, three]) expect(await deliverOfRoom(id)).toBe('all');
    expect(textsTo(receiver)).toEqual(['Hello, bot', 'Hello, all']);
  });

  it('the webhook of a bot is sent nothing of before it was created, or of before the bot came into the room', async () => {
    const [owner, room] = [await anAccount(), await aRoom()];
    const bot = await aBot(owner);
    const ann = await anAccount();
    const direct = await conversation(ann, bot);
    await aMessage(ann, direct, { text: 'before' });
    await nextMillisecond();
    const receiver = aReceiver();
    await put(bot, owner, receiver.url);
    await aMessage(ann, direct, { text: 'after' });
    await deliverOfRoom(direct);
    await aMessage(room.owner, room.id, { text: `@${bot.username} absent` });
    await nextMillisecond();
    await addMember(room, bot);
    await aMessage(room.owner, room.id, { text: `@${bot.username} present` });
    await deliverOfRoom(room.id);
    expect(textsTo(receiver)).toEqual(['after', `@${bot.username} present`]);
  });

  it('the webhook of a bot finds its beginning in a room with a long and old history', async () => {
    const owner = await anAccount();
    const [bot, other] = [await aBot(owner), await aRoom({ owner })];
    for (let number = 0; number < 40; number++) await aMessage(owner, other.id);
    const old = new Date(Date.now() - 400 * 86_400_000);
    const id = new ObjectId(other.id);
    await messages.unscoped.updateMany({ room: id }, { $set: { created_at: old } });
    await rooms.updateOne({ _id: id }, { $set: { created_at: old } });
    await addMember(other, bot);
    const receiver = aReceiver();
    await put(bot, owner, receiver.url);
    for (const text of ['first', 'second']) await aMessage(owner, other.id, { text: `@${bot.username} ${text}` });
    await deliverOfRoom(other.id);
    expect(textsTo(receiver).map((text) => text?.split(' ')[1])).toEqual(['first', 'second']);
  });

  it('the webhook of a bot answers as the bot, in the same thread, once, and mentions nobody', async () => {
    const { room, bot, owner, receiver, deliver } = await withWebhook();
    receiver.answer = () => ({ status: 200, body: { text: `@${owner.username} all green` } });
    const { _id: thread } = await aMessage(owner, room.id, { text: 'Builds' });
    await aMessage(owner, room.id, { text: `@${bot.username} status?`, thread: thread.$oid });
    await deliver();
    // As if the process had died before it stored its progress.
    await webhookStates.updateMany({ bot: new ObjectId(bot.id) }, { $set: { seq: 0 } });
    await deliver();
    expect(receiver.taken).toHaveLength(2);
    expect(receiver.taken[0]?.id).toBe(receiver.taken[1]?.id);
    const { body } = await call('GET', `/api/messages?room=${room.id}&thread=${thread.$oid}`, { token: owner.token });
    const replies = (body as Message[]).filter(({ is_bot }) => is_bot);
    expect(replies).toMatchObject([{ user: { $oid: bot.id }, text: `@${owner.username} all green`, mentions: [] }]);
  });

  it('two webhooks of bots that answer each other stop: messages of programs are sent, but replies to them are not posted', async () => {
    const [one, other] = [await withWebhook(), await withWebhook()];
    const direct = await conversation(one.owner, one.bot, { username: other.bot.username } as Account);
    for (const { receiver } of [one, other]) receiver.answer = () => ({ status: 200, body: { text: 'pong' } });
    await aMessage(one.owner, direct, { text: 'ping' });
    for (let turn = 0; turn < 4; turn++) await deliverOfRoom(direct);
    const { body } = await call('GET', `/api/messages?room=${direct}`, { token: one.owner.token });
    expect((body as Message[]).map(({ text }) => text)).toEqual(['ping', 'pong', 'pong']);
    expect([textsTo(one.receiver), textsTo(other.receiver)]).toEqual([
      ['ping', 'pong'],
      ['ping', 'pong'],
    ]);
  });

  it('the webhook of a bot gets each message once and in order, even if several processes deliver', async () => {
    const { receiver, deliver, mention, textsOf } = await withWebhook();
    const texts = Array.from({ length: 20 }, (_, at) => `${at}`);
    const sending = (async () => {
      for (const text of texts) await mention(text);
    })();
    const delivering = async () => {
      while (receiver.taken.length < texts.length) await deliver();
    };
    await Promise.all([sending, delivering(), delivering(), delivering()]);
    expect(textsOf()).toEqual(texts);
    expect(receiver.asked).toHaveLength(texts.length);
  });

  it('the webhook of a bot tries again what failed, before what came later in the same room, while other rooms go on', async () => {
    const { room, bot, owner, receiver, find, deliver, hurry, mention } = await withWebhook();
    const direct = await conversation(owner, bot);
    receiver.answer = ({ event }) => ({ status: event.room.$oid === room.id ? 503 : 204 });
    for (const text of ['first', 'second']) await mention(text);
    await deliver();
    await aMessage(owner, direct, { text: 'elsewhere' });
    await deliverOfRoom(direct);
    expect(textsTo(receiver)).toEqual(['elsewhere']);
    expect(await find()).toMatchObject({
      disabled_at: null,
      deliveries: [
        { room: { $oid: room.id }, status: 503 },
        { room: { $oid: direct }, status: 204 },
      ],
    });
    receiver.answer = () => ({ status: 204 });
    await hurry();
    await retryDeliveries();
    expect(textsTo(receiver).map((text) => text?.split(' ').at(-1))).toEqual(['elsewhere', 'first', 'second']);
  });

  it.each([
    ['answers 410', { status: 410 }, new Date(), 'answers that it is gone'],
    ['has failed for a day', { status: 500 }, new Date(Date.now() - 86_500_000), 'has not accepted an event for a day'],
  ])(
    'the webhook of a bot is switched off in all rooms where the receiver %s, which its owner is told, and goes on where it was when it is switched on',
    async (_what, answer, since, why) => {
      const { bot, owner, receiver, find, change, deliver, hurry, mention, textsOf } = await withWebhook();
      const direct = await conversation(owner, bot);
      receiver.answer = () => ({ status: 500 });
      await mention('lost?');
      await deliver();
      await webhookStates.updateMany({ bot: new ObjectId(bot.id) }, { $set: { failing_since: since } });
      receiver.answer = () => answer;
      await hurry();
      await deliver();
      expect((await find()).disabled_at).toEqual(anyDate);
      const { body: told } = await call('GET', `/api/messages?room=${direct}`, { token: owner.token });
      expect(told).toMatchObject([{ user: { $oid: bot.id }, text: expect.stringContaining(why) }]);
      receiver.answer = () => ({ status: 204 });
      await aMessage(owner, direct, { text: 'meanwhile' });
      await hurry();
      await Promise.all([deliver(), deliverOfRoom(direct)]);
      expect(receiver.taken).toEqual([]);
      await retryDeliveries();
      // It does not use turns of other webhooks.
      expect(await webhookStates.countDocuments({ bot: new ObjectId(bot.id), retry_at: { $lte: new Date() } })).toBe(0);
      expect(await change({ is_enabled: true })).toMatchObject({ status: 200, body: { disabled_at: null } });
      await retryDeliveries();
      await deliverOfRoom(direct);
      expect(textsOf()).toEqual(['lost?', 'meanwhile']);
      expect(await webhookStates.countDocuments({ bot: new ObjectId(bot.id), retry_at: { $ne: null } })).toBe(0);
    },
  );

  it('the webhook of a bot takes no turn of others while its bot is deactivated, and goes on where it was when the bot is activated again', async () => {
    const { room, bot, receiver, deliver, hurry, mention, textsOf } = await withWebhook();
    receiver.answer = () => ({ status: 500 });
    await mention('waiting');
    await deliver();
    receiver.answer = () => ({ status: 204 });
    await changeUser(new ObjectId(bot.id), { is_active: false });
    await hurry();
    await deliver();
    expect(await webhookStates.countDocuments({ bot: new ObjectId(bot.id), retry_at: { $ne: null } })).toBe(0);
    expect(receiver.taken).toEqual([]);
    await changeUser(new ObjectId(bot.id), { is_active: true });
    expect(await findUndelivered()).toContain(room.id);
    await deliver();
    expect(textsOf()).toEqual(['waiting']);
  });

  it('the webhook of a bot sends nothing while it is switched off by hand', async () => {
    const { room, receiver, change, deliver, mention } = await withWebhook();
    expect(await change({ is_enabled: false })).toMatchObject({ status: 200, body: { disabled_at: anyDate } });
    await mention('hidden');
    await deliver();
    expect(receiver.asked).toEqual([]);
    expect(await findUndelivered()).not.toContain(room.id);
    expect(await change({})).toMatchObject({ status: 200, body: { disabled_at: anyDate } });
  });

  it('the webhook of a bot is tested by an event without content, whose outcome is the answer', async () => {
    const { bot, owner, receiver } = await withWebhook();
    const reply = await call('POST', pathOf(bot), { token: owner.token, body: {} });
    expect(outcome(reply)).toEqual({
      status: 200,
      body: { seq: 0, type: 'webhook.test', at: anyDate, milliseconds: expect.any(Number), status: 204, answer: '' },
    });
    expect(receiver.taken[0]?.event).toMatchObject({ type: 'webhook.test', room: null, data: null });
  });

  it('the webhook of a bot has another address and secret when it is put again, and loses nothing between the two', async () => {
    const { bot, owner, secret, deliver, mention } = await withWebhook();
    await mention('between');
    const other = aReceiver();
    const again = await put(bot, owner, other.url);
    expect(again.secret).not.toBe(secret);
    await deliver();
    expect(textsTo(other)).toEqual([`@${bot.username} between`]);
  });

  it('the webhook of a bot that gets another address while an event is sent to the earlier one goes on there at once', async () => {
    const { bot, owner, receiver, deliver, mention } = await withWebhook();
    const next = aReceiver();
    receiver.answer = async () => {
      await put(bot, owner, next.url);
      return { status: 500 };
    };
    await mention('moved');
    await deliver();
    await retryDeliveries();
    expect(textsTo(next).map((text) => text?.split(' ').at(-1))).toEqual(['moved']);
  });

  it('the webhook of a bot has one secret that signs and is shown, of many that are asked for at the same time', async () => {
    const owner = await anAccount();
    const bot = await aBot(owner);
    const { url } = aReceiver();
    const made = await Promise.all(Array.from({ length: 4 }, () => put(bot, owner, url)));
    const stored = await botWebhooks.findOne({ _id: new ObjectId(bot.id) });
    expect(made.map(({ secret }) => secret)).toContain(stored?.secret);
    expect(new Set(made.map(({ secret }) => secret)).size).toBe(4);
    // The secrets that were shown last before still sign.
    for (const { secret } of stored?.retired ?? []) expect(made.map((one) => one.secret)).toContain(secret);
    expect(stored?.retired).toHaveLength(2);
  });

  it.each<[what: string, end: (own: Awaited<ReturnType<typeof withWebhook>>) => Promise<unknown>]>([
    ['its owner is deactivated', ({ owner }) => changeUser(new ObjectId(owner.id), { is_active: false })],
    ['its owner is deleted', ({ owner }) => deleteUser(new ObjectId(owner.id))],
    ['the bot is deleted', ({ bot }) => deleteUser(new ObjectId(bot.id))],
    ['the bot is deactivated', ({ bot }) => changeUser(new ObjectId(bot.id), { is_active: false })],
    ['the bot gets another owner', ({ bot }) => call('PATCH', bot.path, { token: admin.token, body: { owner: admin.id } })],
    ['the bot leaves', ({ bot, member }) => call('DELETE', `/api/members/${member}`, { token: bot.token })],
    ['the bot is removed', ({ owner, member }) => call('DELETE', `/api/members/${member}`, { token: owner.token })],
    ['the bot is banned', ({ owner, member }) => call('DELETE', `/api/members/${member}?ban=true`, { token: owner.token })],
    ['the webhook is removed', ({ bot, owner }) => call('DELETE', pathOf(bot), { token: owner.token })],
  ])('the webhook of a bot sends nothing after %s', async (_what, end) => {
    const own = await withWebhook();
    const ann = await anAccount();
    await addMember(own.room, ann);
    const say = (text: string) => aMessage(ann, own.room.id, { text: `@${own.bot.username} ${text}` });
    await say('before');
    await own.deliver();
    // Events that it has not accepted yet are not sent either.
    await say('waiting');
    await end(own);
    await say('after');
    await own.deliver();
    expect(own.textsOf()).toEqual(['before']);
  });

  it('the webhook of a bot stops during a delivery when the bot is removed from the room', async () => {
    const { owner, member, receiver, deliver, mention, textsOf } = await withWebhook();
    for (const text of ['first', 'second']) await mention(text);
    receiver.answer = async () => {
      await call('DELETE', `/api/members/${member}`, { token: owner.token });
      return { status: 200, body: { text: 'Too late' } };
    };
    await deliver();
    expect(textsOf()).toEqual(['first']);
  });

  it('the webhook of a bot is sent nothing that was said while the bot was away', async () => {
    const { room, bot, owner, member, deliver, mention, textsOf } = await withWebhook();
    await mention('before');
    await deliver();
    await succeed(call('DELETE', `/api/members/${member}`, { token: owner.token }));
    await aMessage(owner, room.id, { text: `@${bot.username} away` });
    await addMember(room, bot);
    await mention('back');
    await deliver();
    expect(textsOf()).toEqual(['before', 'back']);
  });

  it('the webhook of a bot leaves nothing behind: how far it was is forgotten with the webhook, and of rooms that the bot has left', async () => {
    const { bot, owner, member, deliver, mention } = await withWebhook();
    const direct = await conversation(owner, bot);
    await mention('one');
    await aMessage(owner, direct);
    await Promise.all([deliver(), deliverOfRoom(direct)]);
    const count = () => webhookStates.countDocuments({ bot: new ObjectId(bot.id) });
    expect(await count()).toBe(2);
    await succeed(call('DELETE', `/api/members/${member}`, { token: owner.token }));
    await findUndelivered();
    expect(await count()).toBe(1);
    await succeed(call('DELETE', pathOf(bot), { token: owner.token }));
    expect(await count()).toBe(0);
  });

  it('the webhook of a bot is found by the schedule if no process delivered, even in a room without deliveries', async () => {
    const { room, deliver, mention, textsOf } = await withWebhook();
    await mention('missed');
    expect(await findUndelivered()).toContain(room.id);
    await deliver();
    expect(textsOf()).toEqual(['missed']);
    expect(await findUndelivered()).not.toContain(room.id);
    await mention('missed as well');
    expect(await findUndelivered()).toContain(room.id);
  });
});

describe('the deliveries of the webhook of a bot', () => {
  it('the webhook of a bot sends all messages of its rooms on request, except those of the bot', async () => {
    const { room, bot, owner, receiver, change, deliver } = await withWebhook();
    expect(await change({ messages: 'all' })).toMatchObject({
      status: 200,
      body: { messages: 'all', events: ['message.created'] },
    });
    await aMessage(owner, room.id, { text: 'to all' });
    await aMessage(bot, room.id, { text: 'mine' });
    await deliver();
    expect(textsTo(receiver)).toEqual(['to all']);
  });

  it('the webhook of a bot sends the types of events that are chosen: of messages to the bot and by it, and of its rooms', async () => {
    const { room, bot, owner, receiver, change, deliver, mention } = await withWebhook();
    const events = ['message.edited', 'message.deleted', 'reaction.added', 'member.joined', 'room.changed'];
    expect(await change({ events })).toMatchObject({ status: 200, body: { events, messages: 'addressed' } });
    const { _id: said } = await mention('new messages are not chosen');
    const { _id: mine } = await aMessage(bot, room.id, { text: 'Vote here' });
    const { _id: other } = await aMessage(owner, room.id, { text: 'not for programs' });
    const { token } = owner;
    const react = (id: string) => call('PUT', `/api/messages/${id}/reactions/👍`, { token, body: {} });
    for (const { $oid } of [said, mine, other]) await succeed(react($oid));
    await succeed(call('PUT', `/api/messages/${mine.$oid}/reactions/👍`, { token: bot.token, body: {} }));
    for (const { $oid } of [said, other])
      await succeed(call('PATCH', `/api/messages/${$oid}`, { token, body: { text: `@${bot.username} after all` } }));
    await succeed(call('DELETE', `/api/messages/${other.$oid}`, { token }));
    await addMember(room, await anAccount());
    await deliver();
    expect(receiver.taken.map(({ event }) => [event.type, event.data?._id.$oid])).toEqual([
      ['reaction.added', said.$oid],
      ['reaction.added', mine.$oid],
      ['message.edited', said.$oid],
      ['message.deleted', other.$oid],
      ['member.joined', expect.any(String)],
    ]);
  });

  it('the webhook of a bot gets the event that the bot joined a room', async () => {
    const owner = await anAccount();
    const [bot, room] = [await aBot(owner), await aRoom({ owner })];
    const receiver = aReceiver();
    const body = { url: receiver.url, events: ['member.joined'] };
    expect((await succeed(call('PUT', pathOf(bot), { token: owner.token, body }))).body).toMatchObject({ events: body.events });
    await addMember(room, await anAccount());
    await nextMillisecond();
    await addMember(room, bot);
    expect(await findUndelivered()).toContain(room.id);
    await deliverOfRoom(room.id);
    expect(receiver.taken.map(({ event }) => event.data)).toMatchObject([{ user: { $oid: bot.id } }]);
  });

  it.each([
    ['no type', { events: [] }, 'events'],
    ['an unknown type', { events: ['message.read'] }, 'events'],
    ['an unknown choice of messages', { messages: 'some' }, 'messages'],
  ])('the webhook of a bot is refused with %s', async (_what, body, name) => {
    const { bot, owner, receiver, change } = await withWebhook();
    const put = call('PUT', pathOf(bot), { token: owner.token, body: { url: receiver.url, ...body } });
    for (const reply of [await change(body), await put])
      expect(reply).toMatchObject({ status: 400, body: { description: expect.stringContaining(`'${name}'`) } });
  });

  it('the webhook of a bot sends by the new choice what comes after it, also while an event is sent by the one before', async () => {
    const { room, owner, receiver, change, deliver, mention } = await withWebhook();
    receiver.answer = async () => {
      receiver.answer = () => ({ status: 204 });
      await change({ messages: 'all' });
      await aMessage(owner, room.id, { text: 'to all' });
      return { status: 204 };
    };
    await mention('first');
    await deliver();
    await retryDeliveries();
    expect(textsTo(receiver).at(-1)).toBe('to all');
  });

  it('the webhook of a bot that gets another choice is tried again only in rooms where something waits', async () => {
    const { room, bot, owner, receiver, change, deliver, mention } = await withWebhook();
    const direct = await conversation(owner, bot);
    await aMessage(owner, direct, { text: 'taken' });
    await deliverOfRoom(direct);
    receiver.answer = () => ({ status: 500 });
    await mention('waiting');
    await deliver();
    await succeed(change({ messages: 'all' }));
    const due = await webhookStates.find({ bot: new ObjectId(bot.id), retry_at: { $lte: new Date() } }).toArray();
    expect(due.map((state) => state.room.toHexString())).toEqual([room.id]);
  });

  it('the webhook of a bot passes over nothing that a new choice wants whose process died when it had stored that', async () => {
    const { room, bot, owner, receiver, deliver, mention, textsOf } = await withWebhook();
    receiver.answer = async () => {
      await botWebhooks.updateOne({ _id: new ObjectId(bot.id) }, { $set: { messages: 'all' } });
      await aMessage(owner, room.id, { text: 'to all' });
      receiver.answer = () => ({ status: 204 });
      return { status: 204 };
    };
    await mention('first');
    // More messages than one read returns.
    for (let number = 0; number < 55; number++) await aMessage(owner, room.id, { text: 'before' });
    expect(await deliver()).toBe('more');
    await deliver();
    expect(textsOf().at(-1)).toBe('to all');
  });

  it('the webhook of a bot passes over nothing that a new choice wants, in a process that has found it before and comes to it later', async () => {
    const { room, owner, receiver, change, deliver } = await withWebhook();
    const { promise: isOpen, resolve: open } = Promise.withResolvers<void>();
    const { promise: isAsked, resolve: ask } = Promise.withResolvers<void>();
    // This many webhooks of rooms are due at the same time, and have precedence over those of bots.
    for (let number = 0; number < 8; number++) {
      const before = aReceiver();
      before.answer = async () => {
        ask();
        await isOpen;
        return { status: 204 };
      };
      const body = { name: 'Before', url: before.url };
      await succeed(call('POST', `/api/rooms/${room.id}/webhooks`, { token: owner.token, body }));
    }
    await aMessage(owner, room.id, { text: 'to nobody' });
    const delivering = deliver();
    await isAsked;
    await succeed(change({ messages: 'all' }));
    await aMessage(owner, room.id, { text: 'to all' });
    open();
    expect(await delivering).toBe('more');
    await deliver();
    expect(textsTo(receiver)).toContain('to all');
  });

  it('the webhook of a bot sends again what came after a place of one room, under the same ids', async () => {
    const { room, bot, owner, receiver, change, deliver, mention, textsOf } = await withWebhook();
    const direct = await conversation(owner, bot);
    await aMessage(owner, direct, { text: 'elsewhere' });
    const { seq } = await mention('first');
    for (const text of ['second', 'third']) await mention(text);
    await Promise.all([deliver(), deliverOfRoom(direct)]);
    const before = receiver.taken.filter(({ id }) => id.startsWith(room.id)).map(({ id }) => id);
    receiver.taken.length = 0;
    expect(await change({ room: room.id, seq })).toMatchObject({ status: 200, body: { bot: { $oid: bot.id } } });
    await Promise.all([deliver(), deliverOfRoom(direct)]);
    expect(textsOf()).toEqual(['second', 'third']);
    expect(receiver.taken.map(({ id }) => id)).toEqual(before.slice(1));
  });

  it('the webhook of a bot repeats waiting messages immediately on request, or later when it is switched on', async () => {
    const { room, receiver, change, mention, deliver, textsOf } = await withWebhook();
    receiver.answer = () => ({ status: 500 });
    const { seq } = await mention('again');
    await deliver();
    receiver.answer = () => ({ status: 204 });
    await change({ is_enabled: false });
    await change({ room: room.id, seq: seq - 1 });
    await deliver();
    expect(textsOf()).toEqual([]);
    await change({ is_enabled: true });
    await retryDeliveries();
    expect(textsOf()).toEqual(['again']);
    await change({ room: room.id, seq: seq - 1 });
    await retryDeliveries();
    expect(textsOf()).toEqual(['again', 'again']);
  });

  it('the webhook of a bot sends nothing again of before it was created, and does not go back to there', async () => {
    const { room, owner, receiver, bot, change, deliver, mention, textsOf } = await withWebhook();
    await succeed(call('DELETE', pathOf(bot), { token: owner.token }));
    const { seq } = await mention('before');
    const old = new Date(Date.now() - 86_400_000);
    await messages.unscoped.updateMany({ room: new ObjectId(room.id) }, { $set: { created_at: old } });
    await put(bot, owner, receiver.url);
    await mention('after');
    await deliver();
    await change({ room: room.id, seq: 0 });
    const state = await webhookStates.findOne({ bot: new ObjectId(bot.id) });
    expect(state?.seq).toBeGreaterThanOrEqual(seq);
    await deliver();
    expect(textsOf()).toEqual(['after', 'after']);
  });

  it('the webhook of a bot sends the feed again from an older place, and loses no waiting message', async () => {
    const { room, bot, receiver, change, deliver, mention, textsOf } = await withWebhook();
    const [id, old] = [new ObjectId(room.id), new Date(Date.now() - 400 * 86_400_000)];
    for (const text of ['older', 'old']) await mention(text);
    await messages.unscoped.updateMany({ room: id }, { $set: { created_at: old } });
    await events.updateMany({ room: id }, { $set: { at: old } });
    await rooms.updateOne({ _id: id }, { $set: { created_at: old, 'members.$[].joined_at': old } });
    await botWebhooks.updateOne({ _id: new ObjectId(bot.id) }, { $set: { created_at: old } });
    for (const text of ['first', 'second']) await mention(text);
    await deliver();
    expect(textsOf()).toEqual(['first', 'second']);
    receiver.taken.length = 0;
    receiver.answer = () => ({ status: 500 });
    await mention('waiting');
    await deliver();
    receiver.answer = () => ({ status: 204 });
    for (const seq of [0, 1]) {
      expect(await change({ room: room.id, seq })).toMatchObject({ status: 200 });
      await deliver();
    }
    expect(textsOf()).toEqual(['first', 'second', 'waiting', 'first', 'second', 'waiting']);
  });

  it('the webhook of a bot gets no other secret together with sending again', async () => {
    const { room, change, secret, find } = await withWebhook();
    expect(await change({ room: room.id, seq: 0, new_secret: true })).toMatchObject({ status: 400 });
    expect(await find()).toMatchObject({ hint: secret.slice(-4) });
  });

  it('the webhook of a bot keeps its events and messages when PUT omits them', async () => {
    const { bot, owner, change, find } = await withWebhook();
    const choice = { events: ['message.created', 'message.edited'], messages: 'all' };
    await change(choice);
    await put(bot, owner, aReceiver().url);
    expect(await find()).toMatchObject(choice);
    const body = { url: aReceiver().url, messages: 'addressed' };
    expect(await call('PUT', pathOf(bot), { token: owner.token, body })).toMatchObject({
      status: 200,
      body: { ...choice, messages: 'addressed' },
    });
  });

  it('the webhook of a bot sends again only events of a room that the bot is in, from a place that the room has', async () => {
    const { room, owner, member, change } = await withWebhook();
    const { seq } = await aMessage(owner, room.id);
    const elsewhere = await aRoom({ owner });
    for (const body of [{ room: room.id }, { seq }, { room: room.id, seq: seq + 1_000 }])
      expect(await change(body)).toMatchObject({ status: 400 });
    expect(outcome(await change({ room: elsewhere.id, seq: 0 }))).toEqual(refusals.noSuch('room'));
    await succeed(call('DELETE', `/api/members/${member}`, { token: owner.token }));
    expect(outcome(await change({ room: room.id, seq: 0 }))).toEqual(refusals.noSuch('room'));
  });
});

describe('the audit log', () => {
  it('the audit log has what an administrator chooses for the webhook of a bot of somebody else, without its address and secret', async () => {
    const { room, bot, mention } = await withWebhook();
    const { seq } = await mention('again');
    const ask = (method: 'PUT' | 'PATCH', body: object) => succeed(call(method, pathOf(bot), { token: admin.token, body }));
    const { url } = aReceiver();
    await ask('PUT', { url, messages: 'all' });
    await ask('PATCH', { is_enabled: false, events: ['message.created', 'reaction.added'], new_secret: true });
    await ask('PATCH', { room: room.id, seq });
    const found = await audit.find({ 'target.id': new ObjectId(bot.id) }, { sort: { _id: 1 } }).toArray();
    expect(found.map(({ details }) => details)).toEqual([
      { webhook: new URL(url).host, messages: 'all' },
      { is_enabled: 'false', events: 'message.created, reaction.added', secret: 'replaced' },
      { room: room.id, seq: String(seq) },
    ]);
  });
});

describe('the webhook of a bot that has got another owner', () => {
  /**
   * A bot with a new owner, whose webhook the earlier owner has just stored. The earlier owner's
   * process died then.
   */
  async function handedOver() {
    const own = await withWebhook();
    const { bot } = own;
    const [heir, _id] = [await anAccount(), new ObjectId(own.bot.id)];
    const stored = await botWebhooks.findOne({ _id });
    if (!stored) throw new Error('There is no webhook');
    await succeed(call('PATCH', bot.path, { token: admin.token, body: { owner: heir.id } }));
    await botWebhooks.insertOne(stored);
    const as = (method: 'GET' | 'PATCH' | 'DELETE', body?: object) =>
      call(method, pathOf(bot), { token: heir.token, ...(body && { body }) });
    return { ...own, heir, _id, as };
  }

  it('the webhook of a bot that the earlier owner stored last sends nothing, and is not there for the new one', async () => {
    const { bot, heir, receiver, mention, deliver, as } = await handedOver();
    await mention('secret');
    await deliver();
    expect(receiver.asked).toEqual([]);
    expect(outcome(await as('GET'))).toEqual(refusals.noSuch('webhook'));
    expect(outcome(await as('PATCH', { is_enabled: true }))).toEqual(refusals.noSuch('webhook'));
    expect((await call('GET', bot.path, { token: heir.token })).body).toMatchObject({ has_webhook: false });
    expect((await as('DELETE')).status).toBe(204);
  });

  it('the webhook of a bot that the new owner creates has nothing of that of the earlier one, whose secret signs nothing', async () => {
    const { bot, heir, _id, secret, mention, deliver } = await handedOver();
    const mine = aReceiver();
    const made = await put(bot, heir, mine.url);
    await mention('new');
    await deliver();
    expect(mine.taken).toHaveLength(1);
    const [{ body, headers } = { body: '', headers: {} }] = mine.taken;
    const verify = (by: string) => new Verifier(by).verify(body, headers as Record<string, string>);
    expect(verify(made.secret)).toMatchObject({ type: 'message.created' });
    expect(() => verify(secret)).toThrow('No matching signature');
    // The earlier owner's process continues: it deletes the webhook that it stored, and nothing
    // else.
    await forgetBotWebhook(_id, { owner: new ObjectId() });
    expect(await botWebhooks.countDocuments({ _id })).toBe(1);
  });

  it('the webhook of a bot that an earlier owner has left is not counted among those that are off', async () => {
    const { _id } = await handedOver();
    const before = await countOff(1_000);
    await botWebhooks.updateOne({ _id }, { $set: { disabled_at: new Date() } });
    expect(await countOff(1_000)).toBe(before);
  });

  it('the webhook of a bot whose owner left is skipped by the schedule', async () => {
    const { room, _id, mention } = await handedOver();
    await mention('secret');
    expect(await findUndelivered()).not.toContain(room.id);
    expect(await botWebhooks.countDocuments({ _id })).toBe(0);
  });

  it('the webhook of a bot belongs to the administrators with the bot, who have none from the earlier owner', async () => {
    const { bot, _id, receiver, mention, deliver } = await handedOver();
    await succeed(call('PATCH', bot.path, { token: admin.token, body: { owner: null } }));
    await put(bot, admin, receiver.url);
    await mention('to the administrators');
    await deliver();
    expect(receiver.taken).toHaveLength(1);
    expect(await botWebhooks.findOne({ _id })).toMatchObject({ owner: null });
  });
});

describe('the webhook of a bot that the version before has stored, without an owner and a choice', () => {
  async function stored(account: 'a person' | 'the administrators') {
    const own = await withWebhook();
    const _id = new ObjectId(own.bot.id);
    const token = account === 'a person' ? own.owner.token : admin.token;
    if (account === 'the administrators') {
      await succeed(call('PATCH', own.bot.path, { token, body: { owner: null } }));
      await put(own.bot, admin, own.receiver.url);
    }
    await botWebhooks.updateOne({ _id }, { $unset: { owner: '', events: '', messages: '' } });
    const ask = (method: 'GET' | 'PATCH', body?: object) => call(method, pathOf(own.bot), { token, ...(body && { body }) });
    return { ...own, _id, ask, find: () => botWebhooks.findOne({ _id }) };
  }

  it.each(['a person', 'the administrators'] as const)(
    'the webhook of a bot that the version before has stored for %s goes on as it was, and is kept by the schedule',
    async (account) => {
      const { room, bot, owner, ask, find, mention, deliver, textsOf } = await stored(account);
      await mention('to the bot');
      await aMessage(owner, room.id, { text: 'to all' });
      expect(await findUndelivered()).toContain(room.id);
      await deliver();
      expect(textsOf()).toEqual(['to the bot']);
      expect(await find()).toMatchObject({ deliveries: [{ status: 204 }] });
      const choice = { events: ['message.created'], messages: 'addressed' };
      expect(await ask('GET')).toMatchObject({ status: 200, body: choice });
      expect((await call('GET', bot.path, { token: admin.token })).body).toMatchObject({ has_webhook: true });
      const listed = await everyPage(call, '/api/overview/webhooks', admin.token);
      expect(listed.find(({ _id }) => _id.$oid === bot.id)).toMatchObject({
        events: choice.events,
        created_by: account === 'a person' ? { $oid: owner.id } : null,
      });
    },
  );

  it('the webhook of a bot from an earlier version has an owner and its events after a change', async () => {
    const { owner, ask, find, mention, deliver, textsOf } = await stored('a person');
    await mention('before');
    expect(await ask('PATCH', { messages: 'all' })).toMatchObject({ status: 200, body: { events: ['message.created'] } });
    expect(await find()).toMatchObject({ owner: new ObjectId(owner.id), events: ['message.created'], messages: 'all' });
    await deliver();
    expect(textsOf()).toEqual(['before']);
  });

  it('the webhook of a bot that the version before has stored ends where its bot gets another owner', async () => {
    const { bot, find } = await stored('a person');
    await succeed(call('PATCH', bot.path, { token: admin.token, body: { owner: (await anAccount()).id } }));
    expect(await find()).toBeNull();
  });

  it('the webhook of a bot that the version before has stored is not taken for one of somebody else', async () => {
    const { _id, find } = await stored('a person');
    for (const owner of [new ObjectId(), null]) expect(await forgetBotWebhook(_id, { owner })).toBe(false);
    expect(await find()).not.toBeNull();
  });
});
