import { gzipSync } from 'node:zlib';
import { ObjectId } from 'mongodb';
import { describe, expect, it } from 'vitest';
import { changeUser } from '../../lib/accounts/accounts.ts';
import { webhookAccounts } from '../../lib/collections/accounts/users.ts';
import type { NewWebhook, Webhook } from '../../lib/members/webhooks.ts';
import type { Message } from '../../lib/messages/messages.ts';
import { deleteRoom } from '../../lib/rooms/deletion.ts';
import { type Account, anAccount, anAdmin } from '../support/accounts.ts';
import { refusals } from '../support/error-bodies.ts';
import { anyDate, anyId, anyToken, outcome } from '../support/responses.ts';
import { endsOfRights } from '../support/rights.ts';
import { addMember, aRoom, aRoomWithEveryone, succeed, type TestRoom } from '../support/rooms.ts';
import { type Call, inProcess, type SentRequest, transports } from '../support/transports.ts';

const noSuchWebhook = refusals.noSuch('webhook');

const add = async (room: TestRoom, body: object = { name: 'Builds' }, call: Call = inProcess): Promise<NewWebhook> =>
  (await succeed(call('POST', `${room.path}/webhooks`, { token: room.owner.token, body }))).body as NewWebhook;
const list = async ({ path, owner }: TestRoom, call: Call = inProcess) =>
  (await succeed(call('GET', `${path}/webhooks`, { token: owner.token }))).body as Webhook[];
const post = ({ secret }: NewWebhook, body: unknown, more: SentRequest = {}, call: Call = inProcess) =>
  call('POST', `/api/webhooks/${secret}`, { body, ...more });
const asForm = { headers: { 'content-type': 'application/x-www-form-urlencoded' } };
const read = async ({ id, owner }: TestRoom, call: Call = inProcess) =>
  (await succeed(call('GET', `/api/messages?room=${id}`, { token: owner.token }))).body as Message[];
const texts = async (room: TestRoom) => (await read(room)).map(({ text }) => text);

describe.each(transports())('/api/rooms/{room}/webhooks, %s', (_transport, call) => {
  it('POST of a webhook shows its secret this once, and GET lists it', async () => {
    const room = await aRoom();
    const created = await call('POST', `${room.path}/webhooks`, { token: room.owner.token, body: { name: 'Builds' } });
    const { secret } = created.body as NewWebhook;
    const shown = {
      _id: anyId,
      room: { $oid: room.id },
      name: 'Builds',
      url: null,
      events: null,
      hint: secret.slice(-4),
      created_by: { $oid: room.owner.id },
      created_at: anyDate,
    };
    const address = `https://chat.example.org/api/webhooks/${secret}`;
    expect(outcome(created)).toEqual({ status: 201, body: { ...shown, secret: anyToken, address } });
    expect((await add(room, {}, call)).name).toBe('Webhook');
    expect(await list(room, call)).toEqual([shown, { ...shown, name: 'Webhook', hint: expect.any(String) }]);
  });

  it('DELETE of a webhook revokes it immediately, and its messages keep their author', async () => {
    const room = await aRoom();
    const [webhook, other] = [await add(room, { name: 'Builds' }, call), await add(room, { name: 'Alarms' }, call)];
    await succeed(post(webhook, { text: 'green' }, {}, call));
    const path = `${room.path}/webhooks/${webhook._id.$oid}`;
    expect(outcome(await call('DELETE', path, { token: room.owner.token }))).toEqual({ status: 204, body: '' });
    expect(outcome(await post(webhook, { text: 'red' }, {}, call))).toEqual(noSuchWebhook);
    expect(outcome(await call('DELETE', path, { token: room.owner.token }))).toEqual(noSuchWebhook);
    expect(await list(room, call)).toMatchObject([{ _id: other._id }]);
    expect(await read(room, call)).toMatchObject([{ text: 'green', user: webhook._id, name: 'Builds', is_bot: true }]);
  });

  it('webhooks are for moderators, owners and administrators', async () => {
    const { room, owner, moderator, member, user, admin } = await aRoomWithEveryone({ is_visible: false });
    for (const { token } of [owner, moderator, admin]) {
      const { status, body } = await call('POST', `${room.path}/webhooks`, { token, body: {} });
      expect(status).toBe(201);
      expect((await call('GET', `${room.path}/webhooks`, { token })).status).toBe(200);
      const path = `${room.path}/webhooks/${(body as NewWebhook)._id.$oid}`;
      for (const [other, refusal] of [
        [member, refusals.denied('Room moderator required.')],
        [user, refusals.noSuch('room')],
      ] as const) {
        expect(outcome(await call('POST', `${room.path}/webhooks`, { token: other.token, body: {} }))).toEqual(refusal);
        expect(outcome(await call('GET', `${room.path}/webhooks`, { token: other.token }))).toEqual(refusal);
        expect(outcome(await call('DELETE', path, { token: other.token }))).toEqual(refusal);
      }
      expect((await call('DELETE', path, { token })).status).toBe(204);
    }
  });

  it.each(endsOfRights(call))('a webhook ends when its maker %s, and those of others stay', async (_what, end) => {
    const room = await aRoom();
    const maker = await anAccount();
    const member = await addMember(room, maker, 'moderator');
    const theirs = await add({ ...room, owner: maker });
    const others = await add(room);
    expect((await post(theirs, { text: 'before' }, {}, call)).status).toBe(201);
    await end(room, member, maker);
    expect(outcome(await post(theirs, { text: 'after' }, {}, call))).toEqual(noSuchWebhook);
    expect((await post(others, { text: 'others' }, {}, call)).status).toBe(201);
    expect(await list(room)).toMatchObject([{ _id: others._id }]);
  });
});

describe('a webhook', () => {
  it('a webhook posts cards, and deleting the message deletes them', async () => {
    const room = await aRoom();
    const webhook = await add(room);
    const attachments = [{ color: 'good', title: 'Build 214', fields: [{ title: 'time', value: '3 min', short: true }], ts: 1 }];
    await succeed(post(webhook, { username: 'CI', icon_emoji: '🚦', attachments }));
    const cards = [
      {
        color: '#2eb67d',
        title: 'Build 214',
        fields: [{ title: 'time', value: '3 min', is_short: true }],
        at: { $date: '1970-01-01T00:00:01.000Z' },
      },
    ];
    const [message] = await read(room);
    expect(message).toMatchObject({ name: 'Builds', is_bot: true, display: { name: 'CI', icon: '🚦', text: '', cards } });
    await succeed(inProcess('DELETE', `/api/messages/${message?._id.$oid}`, { token: room.owner.token }));
    expect((await read(room))[0]).not.toHaveProperty('display');
  });

  it('a webhook ends when its maker stops being an administrator, unless the maker is a moderator', async () => {
    const maker = await anAdmin();
    const [elsewhere, own] = [await aRoom(), await aRoom({ owner: maker })];
    const [ending, staying] = [await add({ ...elsewhere, owner: maker }), await add(own)];
    await changeUser(new ObjectId(maker.id), { is_admin: false });
    expect(outcome(await post(ending, { text: 'x' }))).toEqual(noSuchWebhook);
    expect((await post(staying, { text: 'x' })).status).toBe(201);
  });

  it('a webhook posts nothing after the place of its maker’s ban, even if it posts at that moment', async () => {
    const room = await aRoom();
    const maker = await anAccount();
    const member = await addMember(room, maker, 'moderator');
    const webhook = await add({ ...room, owner: maker });
    const posts = Array.from({ length: 10 }, () => post(webhook, { text: 'x' }));
    const banned = inProcess('DELETE', `/api/members/${member}?ban=true`, { token: room.owner.token });
    const replies = await Promise.all([...posts, ...Array.from({ length: 10 }, () => post(webhook, { text: 'x' }))]);
    expect((await banned).status).toBe(204);
    const seqs = replies.filter(({ status }) => status === 201).map(({ body }) => (body as Message).seq);
    expect(replies.filter(({ status }) => status === 404)).toHaveLength(20 - seqs.length);
    const { body } = await inProcess('GET', `/api/events?room=${room.id}&after=0`, { token: room.owner.token });
    const end = (body as { type: string; seq: number }[]).find(({ type }) => type === 'member.banned')?.seq ?? 0;
    expect(seqs.filter((seq) => seq > end)).toEqual([]);
    expect((await post(webhook, { text: 'x' })).status).toBe(404);
  });

  it('deleting a room deletes its webhooks and their accounts', async () => {
    const room = await aRoom();
    const webhook = await add(room);
    await succeed(post(webhook, { text: 'x' }));
    await deleteRoom(new ObjectId(room.id));
    expect(outcome(await post(webhook, { text: 'x' }))).toEqual(noSuchWebhook);
    expect(await webhookAccounts.countDocuments({ webhook_of: new ObjectId(room.id) })).toBe(0);
  });

  it('a webhook posts nothing into an archived room, and goes on when that is opened again', async () => {
    const room = await aRoom();
    const webhook = await add(room);
    const { token } = room.owner;
    const archive = (archived: boolean) => succeed(inProcess('PATCH', `${room.path}/details`, { token, body: { archived } }));
    await archive(true);
    const isArchived = refusals.conflict('The room is archived.');
    expect(outcome(await post(webhook, { text: 'x' }))).toEqual(isArchived);
    expect(outcome(await inProcess('POST', `${room.path}/webhooks`, { token, body: {} }))).toEqual(isArchived);
    await archive(false);
    expect((await post(webhook, { text: 'x' })).status).toBe(201);
  });

  it('a webhook is in no conversation, and 50 at most are in a room', async () => {
    const [ann, bob] = [await anAccount(), await anAccount()];
    const { body } = await inProcess('POST', '/api/conversations', { token: ann.token, body: { users: [bob.id] } });
    const conversation = (body as { _id: { $oid: string } })._id.$oid;
    const inConversation = ({ token }: Account) => inProcess('POST', `/api/rooms/${conversation}/webhooks`, { token, body: {} });
    expect(outcome(await inConversation(ann))).toEqual(refusals.denied('Room moderator required.'));
    expect(outcome(await inConversation(await anAdmin()))).toEqual(refusals.conflict('The room is a direct conversation.'));

    const room = await aRoom();
    const added = await Promise.all(Array.from({ length: 50 }, () => add(room)));
    const one = () => inProcess('POST', `${room.path}/webhooks`, { token: room.owner.token, body: {} });
    expect(outcome(await one())).toEqual(refusals.conflict('The room has too many webhooks.'));
    expect(await webhookAccounts.countDocuments({ webhook_of: new ObjectId(room.id) })).toBe(50);
    const path = `${room.path}/webhooks/${added[0]?._id.$oid}`;
    await succeed(inProcess('DELETE', path, { token: room.owner.token }));
    expect((await one()).status).toBe(201);
  });

  it('a webhook has an account that is no person: it is not a member, not found, not listed, and nobody signs in with it', async () => {
    const room = await aRoom();
    const webhook = await add(room, { name: 'Zebra' });
    const { body } = await succeed(post(webhook, { text: 'x' }));
    const { username, user } = body as Message;
    const admin = await anAdmin();
    const { token } = admin;
    const absent = refusals.noSuch('user');
    expect(outcome(await inProcess('GET', `/api/users/${user.$oid}`, { token }))).toEqual(absent);
    expect((await inProcess('GET', `/api/users?username=${username}`, { token })).body).toEqual([]);
    expect((await inProcess('GET', '/api/users?q=zebra', { token })).body).toEqual([]);
    expect((await inProcess('GET', `/api/members?room=${room.id}`, { token })).body).toHaveLength(1);
    const added = await inProcess('POST', '/api/members', { token, body: { room: room.id, username } });
    expect(outcome(added)).toEqual(absent);
    expect(outcome(await inProcess('PATCH', `/api/users/${user.$oid}`, { token, body: { is_admin: true } }))).toEqual(absent);
    const signIn = await inProcess('POST', '/api/sessions', { body: { username, password: 'correct horse' } });
    expect(signIn.status).toBe(401);
    expect((await inProcess('GET', '/api/rooms', { token: webhook.secret })).status).toBe(401);
  });
});

describe.each(transports())('POST /api/webhooks/{secret}, %s', (_transport, call) => {
  it('POST by a webhook takes a body that is packed, or in another character set', async () => {
    const room = await aRoom();
    const webhook = await add(room);
    const json = JSON.stringify({ text: 'Grüße' });
    for (const [body, headers] of [
      [gzipSync(json), { 'content-encoding': 'gzip', 'content-type': 'application/json' }],
      [Buffer.from(json, 'latin1'), { 'content-type': 'application/json; charset=iso-8859-1' }],
      [Buffer.from(json, 'utf16le'), { 'content-type': 'application/json; charset=utf-16' }],
    ] as const)
      expect((await post(webhook, body, { headers }, call)).status).toBe(201);
    expect(await texts(room)).toEqual(['Grüße', 'Grüße', 'Grüße']);
  });

  it('POST by a webhook posts a text as Markdown, without a token, and answers with the message', async () => {
    const room = await aRoom();
    const webhook = await add(room);
    const posted = await post(webhook, { text: 'The build is **green**.' }, {}, call);
    expect(posted).toMatchObject({
      status: 201,
      body: { text: 'The build is **green**.', room: { $oid: room.id }, user: webhook._id, name: 'Builds', is_bot: true },
    });
    expect(await read(room, call)).toEqual([posted.body]);
  });

  it("POST by a webhook answers Slack's shape as Slack does, sent as JSON or as a form", async () => {
    const room = await aRoom();
    const webhook = await add(room);
    const message = { username: 'CI', icon_emoji: ':robot_face:', text: 'Build <https://ci.example/7|#7> is *green*' };
    const answers = [
      await post(webhook, message, {}, call),
      await post(webhook, new URLSearchParams({ payload: JSON.stringify(message) }).toString(), asForm, call),
    ];
    for (const answer of answers) {
      expect(outcome(answer)).toEqual({ status: 200, body: 'ok' });
      expect(answer.headers['content-type']).toBe('text/plain; charset=utf-8');
    }
    expect(await texts(room)).toEqual(Array(2).fill('Build [#7](https://ci.example/7) is **green**'));
  });

  it('POST by a webhook takes the text of a form, and JSON that is called a form, as curl sends both', async () => {
    const room = await aRoom();
    const webhook = await add(room);
    expect((await post(webhook, 'text=50%25+of+%22%2F%22+is+used', asForm, call)).status).toBe(201);
    expect((await post(webhook, '{"text":"Done"}', asForm, call)).status).toBe(201);
    expect(await texts(room)).toEqual(['50% of "/" is used', 'Done']);
  });

  it('POST by a webhook posts once if the sender repeats its id', async () => {
    const room = await aRoom();
    const webhook = await add(room);
    const delivery = { 'x-github-event': 'issues', 'x-github-delivery': crypto.randomUUID() };
    const issue = { action: 'closed', sender: { login: 'ann' }, issue: { number: 1, title: 'Owls' } };
    const first = await post(webhook, issue, { headers: delivery }, call);
    expect(first.status).toBe(201);
    expect((await post(webhook, issue, { headers: delivery }, call)).body).toEqual(first.body);
    const key = { 'idempotency-key': crypto.randomUUID() };
    for (let times = 0; times < 2; times++)
      expect((await post(webhook, { text: 'own' }, { headers: key }, call)).status).toBe(201);
    expect((await post(webhook, { text: 'another' }, { headers: key }, call)).status).toBe(422);
    const slack = { headers: { 'idempotency-key': crypto.randomUUID() } };
    for (let times = 0; times < 2; times++)
      expect(outcome(await post(webhook, { text: 'slack', channel: '#ci' }, slack, call))).toEqual({ status: 200, body: 'ok' });
    expect(await texts(room)).toEqual([(first.body as Message).text, 'own', 'slack']);
  });

  it('POST by a webhook posts nothing of an event that nobody asked to see', async () => {
    const room = await aRoom();
    const webhook = await add(room);
    for (const headers of [{ 'x-github-event': 'ping' }, { 'x-gitlab-event': 'Wiki Page Hook' }])
      expect(outcome(await post(webhook, { zen: 'Be quiet.' }, { headers }, call))).toEqual({ status: 204, body: '' });
    expect(await read(room, call)).toEqual([]);
  });

  it.each<[string, unknown, unknown]>([
    ['no text', {}, refusals.missing('text')],
    ['a blank text', { text: ' \n ' }, refusals.invalid('text', 'have 1 to 10000 characters and not be blank')],
    [
      'a text that is too long',
      { text: 'x'.repeat(10_001) },
      refusals.invalid('text', 'have 1 to 10000 characters and not be blank'),
    ],
    ['blocks that are no list', { blocks: 'x' }, refusals.invalid('blocks', 'be a list')],
    [
      'a field that is no text',
      { attachments: [{}, { fields: [{ title: [] }] }] },
      refusals.invalid('attachments[1].fields[0].title', 'be a text'),
    ],
    [
      'a list',
      [1],
      {
        status: 400,
        body: { title: 'Invalid JSON', description: 'The request body is not a JSON object.', code: 'invalid_json' },
      },
    ],
  ])('POST of a webhook refuses %s, and says where it is', async (_what, body, refusal) => {
    const room = await aRoom();
    const webhook = await add(room);
    expect(outcome(await post(webhook, body, {}, call))).toEqual(refusal);
    expect((await post(webhook, { text: 'x' }, {}, call)).status).toBe(201);
  });

  it('POST by a webhook accepts 256 kB, cuts too long texts, and refuses a larger body', async () => {
    const room = await aRoom();
    const webhook = await add(room);
    const body = (size: number) => ({ attachments: [{ text: 'long '.repeat(5_000) }], rest: 'x'.repeat(size) });
    expect((await post(webhook, body(230_000), {}, call)).status).toBe(200);
    const [{ text = '' } = {}] = await read(room, call);
    expect(text.length).toBeLessThanOrEqual(10_000);
    expect(text).toMatch(/^long long .*\n\n… \(cut: the message was too long\)$/s);
    expect((await post(webhook, body(262_144), {}, call)).status).toBe(413);
  });

  it('POST by a webhook is refused with any other secret', async () => {
    expect(outcome(await call('POST', `/api/webhooks/${'a'.repeat(32)}`, { body: { text: 'x' } }))).toEqual(noSuchWebhook);
    expect(outcome(await call('POST', '/api/webhooks/short', { body: { text: 'x' } }))).toEqual(noSuchWebhook);
  });
});

describe('messages by webhooks', () => {
  it('a message of a webhook mentions members by name, but never everyone, in any room', async () => {
    const bob = await anAccount();
    const room = await aRoom({ members: [bob] });
    const webhook = await add(room);
    const own = await post(webhook, { text: `@${bob.username} @room` });
    const slack = await post(webhook, { text: `<@${bob.username}> <!channel> <!here>`, channel: '#x' });
    expect(slack.status).toBe(200);
    const messages = await read(room);
    expect(messages[0]).toEqual(own.body);
    expect(messages[1]?.text).toBe(`@${bob.username} @channel @here`);
    for (const message of messages) expect(message).toMatchObject({ mentions: [{ $oid: bob.id }], mentions_all: null });
    const mine = (await inProcess('GET', '/api/members?user=me', { token: bob.token })).body;
    expect(mine).toMatchObject([{ unread: 2, unread_mentions: 2 }]);
    // A member's message does mention everyone.
    const { body } = await inProcess('POST', '/api/messages', {
      token: room.owner.token,
      body: { room: room.id, text: '@room' },
    });
    expect(body).toMatchObject({ mentions_all: 'room' });
  });

  it('a message of a webhook mentions nobody if it reports what people wrote elsewhere', async () => {
    const bob = await anAccount();
    const room = await aRoom({ members: [bob] });
    const webhook = await add(room);
    const comment = { body: `@${bob.username} look`, html_url: 'https://git.example/1#2' };
    const event = { action: 'created', sender: { login: 'eve' }, issue: { number: 1, title: 'Owls' }, comment };
    const { body } = await post(webhook, event, { headers: { 'x-github-event': 'issue_comment' } });
    expect(body).toMatchObject({ mentions: [], text: expect.stringContaining(`@${bob.username} look`) });
  });

  it('a message of a webhook can be deleted and answered, but not edited', async () => {
    const room = await aRoom();
    const { body } = await succeed(post(await add(room), { text: 'x' }));
    const path = `/api/messages/${(body as Message)._id.$oid}`;
    const { token } = room.owner;
    const reply = { room: room.id, text: 'I am on it.', thread: (body as Message)._id.$oid };
    expect((await inProcess('POST', '/api/messages', { token, body: reply })).status).toBe(201);
    expect((await inProcess('PATCH', path, { token, body: { text: 'y' } })).status).toBe(403);
    expect((await inProcess('DELETE', path, { token })).status).toBe(204);
  });
});
