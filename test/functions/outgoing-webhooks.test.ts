import { ObjectId } from 'mongodb';
import { Webhook as Verifier } from 'standardwebhooks';
import { describe, expect, it } from 'vitest';
import { webhookStates } from '../../lib/collections/delivery/webhook-states.ts';
import { rooms } from '../../lib/collections/rooms/rooms.ts';
import type { Delivery, WebhookDetails } from '../../lib/members/outgoing-webhooks.ts';
import type { NewWebhook, Webhook } from '../../lib/members/webhooks.ts';
import type { Message } from '../../lib/messages/messages.ts';
import { deleteRoom } from '../../lib/rooms/deletion.ts';
import { deliverOfRoom } from '../../lib/senders/deliver.ts';
import { findUndelivered, retryDeliveries } from '../../lib/senders/retry.ts';
import { type Account, anAccount } from '../support/accounts.ts';
import { useOwnDatabase, withPatience } from '../support/config.ts';
import { refusals } from '../support/error-bodies.ts';
import { runEntries } from '../support/jobs.ts';
import { aMessage } from '../support/messages.ts';
import { anyDate, outcome } from '../support/responses.ts';
import { endsOfRights } from '../support/rights.ts';
import { addMember, aRoom, succeed, type TestRoom } from '../support/rooms.ts';
import { inProcess as call } from '../support/transports.ts';
import { type Answer, aReceiver, type ReceivedEvent, type Receiver, useWebhookReceivers } from '../support/webhook-receiver.ts';

useWebhookReceivers();
useOwnDatabase();

const add = async (room: TestRoom, body: object): Promise<NewWebhook> =>
  (await succeed(call('POST', `${room.path}/webhooks`, { token: room.owner.token, body }))).body as NewWebhook;
const pathOf = (room: TestRoom, { _id }: { _id: { $oid: string } }) => `${room.path}/webhooks/${_id.$oid}`;
const details = async (room: TestRoom, webhook: NewWebhook) =>
  (await succeed(call('GET', pathOf(room, webhook), { token: room.owner.token }))).body as WebhookDetails;
const change = (room: TestRoom, webhook: NewWebhook, body: object) =>
  call('PATCH', pathOf(room, webhook), { token: room.owner.token, body });
const read = async ({ id, owner }: TestRoom) =>
  (await succeed(call('GET', `/api/messages?room=${id}`, { token: owner.token }))).body as Message[];
const textsTo = ({ taken }: Receiver) => taken.map(({ event }) => (event.data as Message | null)?.text);

/** A room with a webhook, and its receiver. */
async function withWebhook(more: { events?: string[]; owner?: Account } = {}) {
  const { owner, ...body } = more;
  const room = await aRoom(owner && { owner });
  const receiver = aReceiver();
  const webhook = await add(room, { name: 'Deploys', url: receiver.url, ...body });
  const deliver = () => deliverOfRoom(room.id);
  /** Makes the next attempt due. */
  const hurry = () => webhookStates.updateOne({ _id: new ObjectId(webhook._id.$oid) }, { $set: { retry_at: new Date(0) } });
  return { room, receiver, webhook, deliver, hurry };
}

/** True if the Standard Webhooks library accepts the signature of a request. */
function signsBy(secret: string | undefined, received: ReceivedEvent | undefined): boolean {
  if (!received) throw new Error('Nothing arrived');
  try {
    new Verifier(secret ?? '').verify(received.body, received.headers as Record<string, string>);
    return true;
  } catch {
    return false;
  }
}

const failing = (): Answer => ({ status: 500, body: { reason: 'full' } });

describe('an outgoing webhook', () => {
  it('renaming an outgoing webhook also renames the author of its messages', async () => {
    const { room, receiver, webhook, deliver } = await withWebhook();
    receiver.answer = () => ({ status: 200, body: { text: 'Noted' } });
    await aMessage(room.owner, room.id);
    await deliver();
    expect(await change(room, webhook, { name: 'Deployments' })).toMatchObject({ status: 200, body: { name: 'Deployments' } });
    expect((await details(room, webhook)).name).toBe('Deployments');
    expect((await read(room)).at(-1)).toMatchObject({ text: 'Noted', name: 'Deployments' });
    expect(await change(room, webhook, { name: ' ' })).toMatchObject({ status: 400 });
  });

  it('an outgoing webhook is created with an address, has a signing secret that is shown once, and is listed', async () => {
    const room = await aRoom();
    const { url } = aReceiver();
    const { secret, address, ...shown } = await add(room, {
      name: 'Deploys',
      url,
      events: ['message.created', 'message.deleted'],
    });
    expect(address).toBeNull();
    expect(shown).toMatchObject({ name: 'Deploys', url, events: ['message.created', 'message.deleted'], hint: secret.slice(-4) });
    expect(secret).toMatch(/^whsec_[a-z0-9]{32}$/);
    const { body } = await call('GET', `${room.path}/webhooks`, { token: room.owner.token });
    expect(body).toEqual([shown]);
    expect(await details(room, { ...shown, secret, address })).toEqual({
      ...shown,
      seq: expect.any(Number),
      failing_since: null,
      retry_at: null,
      disabled_at: null,
      deliveries: [],
    });
  });

  it.each([
    'http://example.org/',
    'https://127.0.0.1/',
    'https://[::1]/',
    'https://10.1.2.3/hook',
    'https://2130706433/',
    'https://0x7f.1/',
    'https://name:password@example.org/',
    'https://exa%20mple/',
  ])('an outgoing webhook has no address like %s', async (url) => {
    const room = await aRoom();
    const reply = await call('POST', `${room.path}/webhooks`, { token: room.owner.token, body: { url } });
    expect(reply).toMatchObject({ status: 403, body: { code: 'webhook_receiver_refused' } });
  });

  it.each(['ftp://example.org/', 'example.org', `https://example.org/${'x'.repeat(2_000)}`, 7])(
    'an outgoing webhook has an address, and not %s',
    async (url) => {
      const room = await aRoom();
      const reply = await call('POST', `${room.path}/webhooks`, { token: room.owner.token, body: { url } });
      expect(outcome(reply)).toEqual(refusals.invalid('url', 'be an address that begins with https://'));
    },
  );

  it('an outgoing webhook has events that exist, at least one, and only with an address', async () => {
    const { path, owner } = await aRoom();
    const { url } = aReceiver();
    for (const body of [{ url, events: [] }, { url, events: ['message.read'] }, { events: ['message.created'] }])
      expect((await call('POST', `${path}/webhooks`, { token: owner.token, body })).status).toBe(400);
  });

  it('an outgoing webhook sends each event as the feed shows it, signed as Standard Webhooks has it', async () => {
    const { room, receiver, webhook, deliver } = await withWebhook();
    await aMessage(room.owner, room.id, { text: 'green' });
    expect(await deliver()).toBe('all');
    const { body: feed } = await call('GET', `/api/events?room=${room.id}&after=0`, { token: room.owner.token });
    const sent = (feed as { type: string; seq: number }[]).filter(({ type }) => type === 'message.created');
    expect(receiver.taken.map(({ event }) => event)).toEqual(sent);
    const [{ body, headers, id } = { body: '', headers: {}, id: '' }] = receiver.taken;
    expect(id).toBe(`${room.id}:${sent[0]?.seq}:${webhook._id.$oid}`);
    const verifier = new Verifier(webhook.secret);
    const texts = headers as Record<string, string>;
    expect(verifier.verify(body, texts)).toEqual(sent[0]);
    expect(() => verifier.verify(body.replace('green', 'red'), texts)).toThrow();
  });

  it('an outgoing webhook sends the types that were chosen, since its creation', async () => {
    const room = await aRoom();
    await aMessage(room.owner, room.id, { text: 'before' });
    const receiver = aReceiver();
    await add(room, { url: receiver.url, events: ['message.edited', 'member.joined'] });
    const { _id } = await aMessage(room.owner, room.id, { text: 'first' });
    await call('PATCH', `/api/messages/${_id.$oid}`, { token: room.owner.token, body: { text: 'second' } });
    await addMember(room, await anAccount());
    await deliverOfRoom(room.id);
    expect(receiver.taken.map(({ event }) => event.type)).toEqual(['message.edited', 'member.joined']);
  });

  it('an outgoing webhook gets each event once and in order, even if several processes deliver', async () => {
    const { room, receiver, deliver } = await withWebhook();
    const texts = Array.from({ length: 30 }, (_, at) => `${at}`);
    const sending = (async () => {
      for (const text of texts) await aMessage(room.owner, room.id, { text });
    })();
    const delivering = async () => {
      while (receiver.taken.length < texts.length) await deliver();
    };
    await Promise.all([sending, delivering(), delivering(), delivering()]);
    expect(textsTo(receiver)).toEqual(texts);
    expect(receiver.asked).toHaveLength(texts.length);
  });

  it('an outgoing webhook repeats an event that failed, before all later ones, and notes the outcome of each', async () => {
    const { room, receiver, webhook, deliver, hurry } = await withWebhook();
    receiver.answer = failing;
    await aMessage(room.owner, room.id, { text: 'first' });
    await aMessage(room.owner, room.id, { text: 'second' });
    expect(await deliver()).toBe('all');
    // The next attempt is not due yet.
    expect(await deliver()).toBe('all');
    expect(receiver.asked).toHaveLength(1);
    const { deliveries, failing_since, retry_at } = await details(room, webhook);
    expect(deliveries).toEqual([
      {
        seq: expect.any(Number),
        type: 'message.created',
        at: anyDate,
        milliseconds: expect.any(Number),
        status: 500,
        answer: '{"reason":"full"}',
      },
    ]);
    expect([failing_since, retry_at]).toEqual([anyDate, anyDate]);
    receiver.answer = () => ({ status: 200 });
    await hurry();
    await retryDeliveries();
    expect(textsTo(receiver)).toEqual(['first', 'second']);
    expect(receiver.taken[0]?.id).toBe(receiver.asked[0]?.id);
    expect(await details(room, webhook)).toMatchObject({ failing_since: null, retry_at: null });
  });

  it.each([
    ['closes the connection', 'close'],
    ['gives no answer', 'none'],
    ['redirects', { status: 302, headers: { location: 'http://127.0.0.1:1/' } }],
  ] as const)('an outgoing webhook fails where the receiver %s', async (_what, answer) => {
    const { room, receiver, webhook, deliver } = await withWebhook();
    receiver.answer = () => answer;
    await aMessage(room.owner, room.id);
    await withPatience({ receiver: 500 }, deliver);
    expect((await details(room, webhook)).deliveries).toMatchObject([
      { status: answer === 'close' || answer === 'none' ? null : 302 },
    ]);
    expect(await details(room, webhook)).toMatchObject({ failing_since: anyDate, retry_at: anyDate, disabled_at: null });
  });

  it('an outgoing webhook waits for as long as Retry-After says', async () => {
    const { room, receiver, webhook, deliver } = await withWebhook();
    receiver.answer = () => ({ status: 429, headers: { 'retry-after': '600' } });
    await aMessage(room.owner, room.id);
    await deliver();
    const { retry_at, deliveries } = await details(room, webhook);
    expect(Date.parse(String(retry_at?.$date)) - Date.parse(String(deliveries[0]?.at.$date))).toBe(600_000);
  });

  it.each([
    ['answers 410', { status: 410 }, new Date(), 'answers that it is gone'],
    ['has failed for a day', { status: 500 }, new Date(Date.now() - 86_500_000), 'has not accepted an event for a day'],
  ])(
    'an outgoing webhook is switched off where the receiver %s, which the room is told, and can be switched on again',
    async (_what, answer, since, why) => {
      const { room, receiver, webhook, deliver, hurry } = await withWebhook();
      receiver.answer = () => failing();
      await aMessage(room.owner, room.id, { text: 'lost?' });
      await deliver();
      await webhookStates.updateOne({ _id: new ObjectId(webhook._id.$oid) }, { $set: { failing_since: since } });
      receiver.answer = () => answer;
      await hurry();
      await deliver();
      expect((await details(room, webhook)).disabled_at).toEqual(anyDate);
      expect((await read(room)).at(-1)).toMatchObject({ user: webhook._id, is_bot: true, text: expect.stringContaining(why) });
      receiver.answer = () => ({ status: 204 });
      await hurry();
      await deliver();
      expect(receiver.taken).toEqual([]);
      const changed = await change(room, webhook, { is_enabled: true });
      expect(changed).toMatchObject({ status: 200, body: { disabled_at: null, failing_since: null } });
      await deliver();
      expect(textsTo(receiver)).toEqual(['lost?']);
    },
  );

  it('an outgoing webhook posts a reply to a person once, in the same thread, even after a retry', async () => {
    const { room, receiver, webhook, deliver } = await withWebhook();
    const { _id: thread } = await aMessage(room.owner, room.id, { text: 'Who is on call?' });
    await aMessage(room.owner, room.id, { text: 'And tomorrow?', thread: thread.$oid });
    receiver.answer = ({ event }) => ({
      status: 200,
      body: { text: `@${room.owner.username} asked: ${(event.data as Message).text}` },
    });
    await deliver();
    const first = await details(room, webhook);
    expect((await change(room, webhook, { seq: 0 })).status).toBe(200);
    await deliver();
    expect(receiver.taken.filter(({ event }) => (event.data as Message).text === 'Who is on call?')).toHaveLength(2);
    const { body } = await call('GET', `/api/messages?room=${room.id}&thread=${thread.$oid}`, { token: room.owner.token });
    expect((body as Message[]).filter(({ is_bot }) => is_bot)).toHaveLength(1);
    const said = (await read(room)).filter(({ is_bot }) => is_bot);
    expect(said.map(({ text, mentions }) => ({ text, mentions }))).toContainEqual({
      text: `@${room.owner.username} asked: Who is on call?`,
      mentions: [],
    });
    // It does not get its own messages.
    expect(receiver.taken.every(({ event }) => event.actor?.$oid === room.owner.id)).toBe(true);
    expect(first.deliveries.map(({ status }) => status)).toEqual([200, 200]);
  });

  it('two outgoing webhooks that answer each other stop: messages of programs are sent, but replies to them are not posted', async () => {
    const { room, receiver, deliver } = await withWebhook();
    const other = aReceiver();
    await add(room, { url: other.url });
    for (const each of [receiver, other]) each.answer = () => ({ status: 200, body: { text: 'pong' } });
    await aMessage(room.owner, room.id, { text: 'ping' });
    for (let turn = 0; turn < 4; turn++) await deliver();
    expect((await read(room)).map(({ text }) => text)).toEqual(['ping', 'pong', 'pong']);
    expect(textsTo(receiver)).toEqual(['ping', 'pong']);
  });

  it.each([{ text: '' }, { text: 7 }, { text: 'x'.repeat(10_001) }, { text: '\u0000' }, 'text', null, { reply: 'x' }])(
    'an outgoing webhook takes %j for no reply',
    async (body) => {
      const { room, receiver, deliver } = await withWebhook();
      receiver.answer = () => ({ status: 200, body });
      await aMessage(room.owner, room.id);
      expect(await deliver()).toBe('all');
      expect(await read(room)).toHaveLength(1);
    },
  );

  it('an outgoing webhook sends again what came after a place of the room, but no place that is yet to come', async () => {
    const { room, receiver, webhook, deliver } = await withWebhook();
    const { seq } = await aMessage(room.owner, room.id, { text: 'first' });
    await aMessage(room.owner, room.id, { text: 'second' });
    await deliver();
    await change(room, webhook, { seq });
    await deliver();
    expect(textsTo(receiver)).toEqual(['first', 'second', 'second']);
    expect(outcome(await change(room, webhook, { seq: 1_000_000 }))).toEqual(
      refusals.invalid('seq', 'not be after the last place of the room'),
    );
  });

  it('an outgoing webhook sends nothing while it is switched off', async () => {
    const { room, receiver, webhook, deliver } = await withWebhook();
    expect(await change(room, webhook, { is_enabled: false })).toMatchObject({ status: 200, body: { disabled_at: anyDate } });
    await aMessage(room.owner, room.id);
    await deliver();
    expect(receiver.asked).toEqual([]);
    expect(await findUndelivered()).not.toContain(room.id);
    expect(await change(room, webhook, {})).toMatchObject({ status: 200, body: { disabled_at: anyDate } });
  });

  it('an outgoing webhook is tested by an event without content, whose outcome is the answer', async () => {
    const { room, receiver, webhook } = await withWebhook();
    const test = () => call('POST', pathOf(room, webhook), { token: room.owner.token, body: {} });
    const shown = { seq: 0, type: 'webhook.test', at: anyDate, milliseconds: expect.any(Number) };
    expect(outcome(await test())).toEqual({ status: 200, body: { ...shown, status: 204, answer: '' } });
    expect(receiver.taken[0]?.event).toMatchObject({ type: 'webhook.test', data: null });
    receiver.answer = failing;
    expect((await test()).body as Delivery).toEqual({ ...shown, status: 500, answer: '{"reason":"full"}' });
  });

  it('an outgoing webhook reaches nothing within this network by a name, and says nothing of the name', async () => {
    const room = await aRoom();
    const webhook = await add(room, { url: 'https://localhost:1/' });
    const { body } = await call('POST', pathOf(room, webhook), { token: room.owner.token, body: {} });
    expect(body).toMatchObject({ status: null, answer: 'The address is not one of the public internet.' });
  });

  it('an outgoing webhook gets another secret, shown once, and signs with both for a day', async () => {
    const { room, receiver, webhook, deliver } = await withWebhook();
    const { status, body } = await change(room, webhook, { new_secret: true });
    const { secret, hint } = body as WebhookDetails;
    expect([status, hint]).toEqual([200, secret?.slice(-4)]);
    expect(secret).toMatch(/^whsec_[a-z0-9]{32}$/);
    expect(secret).not.toBe(webhook.secret);
    expect(JSON.stringify(await details(room, webhook))).not.toContain(secret);
    await aMessage(room.owner, room.id, { text: 'both' });
    await deliver();
    const [first] = receiver.taken;
    const signatures = String(first?.headers['webhook-signature']).split(' ');
    expect(signatures).toEqual([expect.stringMatching(/^v1,/), expect.stringMatching(/^v1,/)]);
    expect([signsBy(secret, first), signsBy(webhook.secret, first)]).toEqual([true, true]);
    const id = new ObjectId(webhook._id.$oid);
    const over = { 'webhooks.$[one].outgoing.retired': [{ secret: webhook.secret, until: new Date(Date.now() - 1) }] };
    await rooms.updateOne({ _id: new ObjectId(room.id) }, { $set: over }, { arrayFilters: [{ 'one._id': id }] });
    await aMessage(room.owner, room.id, { text: 'one' });
    await deliver();
    const second = receiver.taken[1];
    expect([signsBy(secret, second), signsBy(webhook.secret, second)]).toEqual([true, false]);
  });

  it('an outgoing webhook that gets another secret three times signs by the last three, the newest first, and by none before', async () => {
    const { room, receiver, webhook, deliver } = await withWebhook();
    const secrets = [webhook.secret];
    for (let turn = 0; turn < 3; turn++) {
      const { body } = await change(room, webhook, { new_secret: true, is_enabled: true });
      secrets.push((body as WebhookDetails).secret ?? '');
    }
    await aMessage(room.owner, room.id);
    await deliver();
    expect(secrets.map((secret) => signsBy(secret, receiver.taken[0]))).toEqual([false, true, true, true]);
    expect(String(receiver.taken[0]?.headers['webhook-signature']).split(' ')).toHaveLength(3);
  });

  it('an outgoing webhook that gets other secrets at the same time has shown each that signs', async () => {
    const { room, receiver, webhook, deliver } = await withWebhook();
    const replies = await Promise.all(Array.from({ length: 2 }, () => change(room, webhook, { new_secret: true })));
    await aMessage(room.owner, room.id);
    await deliver();
    const secrets = [webhook.secret, ...replies.map(({ body }) => (body as WebhookDetails).secret ?? '')];
    expect(secrets.map((secret) => signsBy(secret, receiver.taken[0]))).toEqual([true, true, true]);
  });

  it('an outgoing webhook leaves the secrets of the other webhooks of its room as they are', async () => {
    const { room, webhook, deliver } = await withWebhook();
    const other = aReceiver();
    const { secret } = await add(room, { url: other.url });
    await succeed(change(room, webhook, { new_secret: true }));
    await aMessage(room.owner, room.id);
    await deliver();
    expect(String(other.taken[0]?.headers['webhook-signature']).split(' ')).toHaveLength(1);
    expect(signsBy(secret, other.taken[0])).toBe(true);
  });

  it('an outgoing webhook takes no messages in, and one that does sends none', async () => {
    const { room, webhook } = await withWebhook();
    const none = await call('POST', `/api/webhooks/${webhook.secret.slice(6, 38)}`, { body: { text: 'x' } });
    expect(none.status).toBe(404);
    const incoming = await add(room, {});
    for (const method of ['GET', 'POST', 'PATCH'] as const) {
      const path = pathOf(room, incoming);
      const reply = await call(method, path, { token: room.owner.token, ...(method !== 'GET' && { body: {} }) });
      expect(reply).toMatchObject({ status: 409, body: { code: 'webhook_incoming' } });
    }
    expect((await call('GET', `${room.path}/webhooks/${'0'.repeat(24)}`, { token: room.owner.token })).status).toBe(404);
  });

  it.each(endsOfRights(call))('an outgoing webhook sends no event from after its maker %s', async (_what, end) => {
    const room = await aRoom();
    const maker = await anAccount();
    const member = await addMember(room, maker, 'moderator');
    const receiver = aReceiver();
    await add({ ...room, owner: maker }, { url: receiver.url });
    await aMessage(room.owner, room.id, { text: 'before' });
    await deliverOfRoom(room.id);
    await end(room, member, maker);
    await aMessage(room.owner, room.id, { text: 'after' });
    await deliverOfRoom(room.id);
    expect(textsTo(receiver)).toEqual(['before']);
  });

  it('an outgoing webhook stops during a delivery when it is revoked', async () => {
    const { room, receiver, webhook, deliver } = await withWebhook();
    for (const text of ['first', 'second']) await aMessage(room.owner, room.id, { text });
    receiver.answer = async () => {
      await call('DELETE', pathOf(room, webhook), { token: room.owner.token });
      return { status: 200 };
    };
    await deliver();
    expect(textsTo(receiver)).toEqual(['first']);
  });

  it('an outgoing webhook leaves nothing behind when its room is deleted, or it ends with a role', async () => {
    const { room, webhook, deliver } = await withWebhook();
    const maker = await anAccount();
    const other = await aRoom();
    const member = await addMember(other, maker, 'moderator');
    const theirs = await add({ ...other, owner: maker }, { url: aReceiver().url });
    for (const each of [room, other]) await aMessage(each.owner, each.id);
    await Promise.all([deliver(), deliverOfRoom(other.id)]);
    const ids = [webhook, theirs].map(({ _id }) => new ObjectId(_id.$oid));
    expect(await webhookStates.countDocuments({ _id: { $in: ids } })).toBe(2);
    await deleteRoom(new ObjectId(room.id));
    await call('PATCH', `/api/members/${member}`, { token: other.owner.token, body: { role: 'member' } });
    await findUndelivered();
    expect(await webhookStates.countDocuments({ _id: { $in: ids } })).toBe(0);
  });

  it('an outgoing webhook does not wait for receivers or processes of other rooms', async () => {
    const [silent, taken, last] = [await withWebhook(), await withWebhook(), await withWebhook()];
    const { promise: answer, resolve: give } = Promise.withResolvers<Answer>();
    silent.receiver.answer = () => answer;
    for (const { room } of [silent, taken, last]) await aMessage(room.owner, room.id, { text: 'hello' });
    await taken.deliver();
    await aMessage(taken.room.owner, taken.room.id, { text: 'more' });
    const held = { holder: new ObjectId(), leased_until: new Date(Date.now() + 1_000) };
    await webhookStates.updateOne({ _id: new ObjectId(taken.webhook._id.$oid) }, { $set: held });
    const told = runEntries(
      'webhooks',
      [silent, taken, last].map(({ room }) => room.id),
    );
    await expect.poll(() => textsTo(last.receiver)).toEqual(['hello']);
    expect(textsTo(silent.receiver)).toEqual([]);
    give({ status: 204 });
    expect(await told).toEqual({ batchItemFailures: [] });
    expect([textsTo(silent.receiver), textsTo(taken.receiver)]).toEqual([['hello'], ['hello', 'more']]);
  });

  it('an outgoing webhook is found by a schedule if no process has delivered', async () => {
    const { room, receiver } = await withWebhook();
    await aMessage(room.owner, room.id, { text: 'missed' });
    expect(await findUndelivered()).toContain(room.id);
    await runEntries('webhooks', [room.id]);
    expect(textsTo(receiver)).toEqual(['missed']);
    expect(await findUndelivered()).not.toContain(room.id);
    expect((await call('GET', `${room.path}/webhooks`, { token: room.owner.token })).body as Webhook[]).toHaveLength(1);
  });
});
