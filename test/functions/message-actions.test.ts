import { ObjectId } from 'mongodb';
import { describe, expect, it } from 'vitest';
import { deleteUser } from '../../lib/accounts/deletion.ts';
import { verifyTrail } from '../../lib/audit/trail.ts';
import { messages } from '../../lib/collections/rooms/messages.ts';
import { audit } from '../../lib/collections/service/audit.ts';
import type { Event } from '../../lib/feed/events.ts';
import type { Message } from '../../lib/messages/messages.ts';
import { deliverOfRoom } from '../../lib/senders/deliver.ts';
import { aName, anAccount, anAdmin } from '../support/accounts.ts';
import { anAgent } from '../support/mcp.ts';
import { aMessage } from '../support/messages.ts';
import { agentOf, aQuestion, aRoomWithBot, press, yesOrNo } from '../support/questions.ts';
import { anyDate } from '../support/responses.ts';
import { addMember, memberId, succeed } from '../support/rooms.ts';
import { commandsOf } from '../support/sent-commands.ts';
import { inProcess as call } from '../support/transports.ts';
import { aReceiver, useWebhookReceivers } from '../support/webhook-receiver.ts';

useWebhookReceivers();

const refused = (status: number, code: string, description?: RegExp) => ({
  status,
  body: { code, ...(description && { description: expect.stringMatching(description) }) },
});
const send = ({ token }: { token: string }, body: object) => call('POST', '/api/messages', { token, body });
const read = async ({ token }: { token: string }, { _id }: Message) =>
  (await succeed(call('GET', `/api/messages/${_id.$oid}`, { token }))).body as Message;
const edit = ({ token }: { token: string }, { _id }: Message, text: string) =>
  call('PATCH', `/api/messages/${_id.$oid}`, { token, body: { text } });
const rowsOf = (message: Message) => audit.find({ action: 'action.pressed', 'details.message': message._id.$oid }).toArray();
const eventsOf = async ({ token }: { token: string }, { id }: { id: string }, type: string) =>
  ((await succeed(call('GET', `/api/events?room=${id}&after=0&limit=500`, { token }))).body as Event[]).filter(
    (event) => event.type === type,
  );

describe('a message with actions', () => {
  it('the people of all actions are looked up together, and each action keeps its own', async () => {
    const { room, bot, ann, bob } = await aRoomWithBot();
    const lookUps = async (count: number) => {
      const actions = Array.from({ length: count }, (_, at) => ({
        id: `a${at}`,
        label: `A ${at}`,
        who: at % 2 === 0 ? [ann.username] : [{ $oid: bob.id }, bob.username],
      }));
      let asked: Message | undefined;
      const sent = await commandsOf(async () => {
        asked = await aQuestion(bot, room, { actions, is_select: true });
      });
      expect(asked?.actions?.map(({ who }) => who)).toEqual(actions.map((_, at) => [{ $oid: at % 2 === 0 ? ann.id : bob.id }]));
      return sent.filter(({ name, collection }) => name === 'find' && collection === 'users').length;
    };
    await lookUps(2);
    expect(await lookUps(40)).toBe(await lookUps(2));
  });

  it('a bot sends buttons, and members see them', async () => {
    const { room, bot, ann } = await aRoomWithBot();
    const expires_at = new Date(Date.now() + 60_000).toISOString();
    const actions = [{ id: 'yes', label: 'Approve', who: [ann.username], confirm: 'Really?' }, yesOrNo[1]];
    const sent = await aQuestion(bot, room, { actions, answers: 'one_each', expires_at, is_approval: true });
    expect(await read(ann, sent)).toMatchObject({
      actions: [
        { id: 'yes', label: 'Approve', style: 'default', who: [{ $oid: ann.id }], confirm: 'Really?' },
        { id: 'no', label: 'Refuse', style: 'danger', who: 'member' },
      ],
      answers: 'one_each',
      expires_at: { $date: expires_at },
      is_approval: true,
      version: 1,
      presses: [],
    });
  });

  it('an agent can send a select with more options than there can be buttons', async () => {
    const { room, ann } = await aRoomWithBot();
    const actions = Array.from({ length: 100 }, (_, at) => ({ id: `o${at}`, label: `Option ${at}` }));
    const sent = await aQuestion(await agentOf(ann), room, { actions, is_select: true });
    expect(sent).toMatchObject({ is_select: true, via: 'Helper' });
    expect(await press(ann, sent, 'o99')).toMatchObject({ status: 200, body: { presses: [{ action: 'o99' }] } });
  });

  it('people and incoming webhooks cannot send actions', async () => {
    const { room, ann } = await aRoomWithBot();
    expect(await send(ann, { room: room.id, text: 'Vote', actions: yesOrNo })).toMatchObject(refused(403, 'program_required'));
  });

  it.each([
    ['no list', { actions: {} }, /'actions' parameter must be a list of 1 to 10 buttons/],
    ['an empty list', { actions: [] }, /'actions'/],
    ['eleven buttons', { actions: Array.from({ length: 11 }, (_, at) => ({ id: `${at}`, label: 'A' })) }, /at most 10 buttons/],
    [
      '101 options',
      { is_select: true, actions: Array.from({ length: 101 }, (_, at) => ({ id: `${at}`, label: 'A' })) },
      /'actions'/,
    ],
    ['an element of another type', { actions: ['yes'] }, /list of objects, also for action 1/],
    ['an action without a label', { actions: [{ id: 'a' }] }, /have 'label' in action 1/],
    ['a blank label', { actions: [{ id: 'a', label: ' ' }] }, /valid 'label' in action 1/],
    ['a label with a control character', { actions: [{ id: 'a', label: 'A\u0007' }] }, /valid 'label' in action 1/],
    ['an id with a blank', { actions: [{ id: 'a b', label: 'A' }] }, /valid 'id' in action 1/],
    ['the same id twice', { actions: [yesOrNo[0], yesOrNo[0]] }, /different id/],
    ['an unknown style', { actions: [{ id: 'a', label: 'A', style: 'red' }] }, /valid 'style' in action 1/],
    ['an unknown role', { actions: [{ id: 'a', label: 'A', who: 'admin' }] }, /valid 'who' in action 1/],
    ['nobody who may press', { actions: [{ id: 'a', label: 'A', who: [] }] }, /valid 'who' in action 1/],
    ['an unknown field', { actions: [{ id: 'a', label: 'A', url: 'https://example.org' }] }, /only the fields .* in action 1/],
    [
      'more than 16 kB',
      {
        is_select: true,
        actions: Array.from({ length: 100 }, (_, at) => ({ id: `${at}`, label: 'A', confirm: 'x'.repeat(200) })),
      },
      /at most 16384 bytes/,
    ],
    ['a rule for answers without actions', { answers: 'one', actions: undefined }, /'answers' .* left out without 'actions'/],
    ['an end in the past', { expires_at: '2020-01-01T00:00:00Z' }, /'expires_at' parameter must be in the future/],
    ['a text that the audit log cannot hold', { is_approval: true, text: 'x'.repeat(1_001) }, /1 to 1000 characters/],
  ])('actions are refused with 400 for %s', async (_, fields, description) => {
    const { room, bot } = await shared;
    const body = { room: room.id, text: 'Deploy?', actions: yesOrNo, ...fields };
    expect(await send(bot, body)).toMatchObject({ status: 400, body: { description: expect.stringMatching(description) } });
  });

  it('an action for an unknown user is refused with 404', async () => {
    const { room, bot } = await shared;
    const actions = [{ id: 'a', label: 'A', who: ['nobody-has-this-name'] }];
    expect(await send(bot, { room: room.id, text: 'Deploy?', actions })).toMatchObject(refused(404, 'user_not_found'));
  });

  it('a repeated request with the same key sends the buttons once, and other buttons are refused', async () => {
    const { room, bot } = await shared;
    const ask = (actions: object[]) =>
      call('POST', '/api/messages', {
        token: bot.token,
        body: { room: room.id, text: 'Once?', actions },
        headers: { 'idempotency-key': 'deploy-1' },
      });
    const [first, second] = [await ask(yesOrNo), await ask(yesOrNo)];
    expect(second.body).toEqual(first.body);
    expect(await ask(yesOrNo.slice(1))).toMatchObject({ status: 422 });
  });
});

const shared = aRoomWithBot();

describe('PUT /api/messages/{message}/actions/{action}', () => {
  it('a press is shown to everybody, and repeating it changes nothing', async () => {
    const { room, bot, ann, bob } = await aRoomWithBot();
    const asked = await aQuestion(bot, room);
    const presses = [{ action: 'yes', user: { $oid: ann.id }, at: anyDate }];
    expect(await press(ann, asked)).toMatchObject({ status: 200, body: { presses } });
    const again = await press(ann, asked);
    expect(again).toMatchObject({ status: 200, body: { presses } });
    expect(await read(bob, asked)).toEqual(again.body);
    expect(await eventsOf(bob, room, 'action.pressed')).toMatchObject([{ actor: { $oid: ann.id }, data: { presses } }]);
  });

  it('a second answer is refused and says who has answered what, and when', async () => {
    const { room, bot, ann, bob } = await aRoomWithBot();
    const asked = await aQuestion(bot, room);
    await succeed(press(ann, asked));
    const described = new RegExp(`^${ann.username} answered 'Approve' at \\d{4}-.*Z\\.$`);
    for (const [who, action] of [
      [bob, 'yes'],
      [bob, 'no'],
      [ann, 'no'],
    ] as const)
      expect(await press(who, asked, action)).toMatchObject(refused(409, 'already_answered', described));
  });

  it('with one_each, each person answers once', async () => {
    const { room, bot, ann, bob } = await aRoomWithBot();
    const asked = await aQuestion(bot, room, { answers: 'one_each' });
    await succeed(press(ann, asked));
    const second = await press(bob, asked, 'no');
    expect(second).toMatchObject({ status: 200, body: { presses: [{ action: 'yes' }, { action: 'no' }] } });
    expect(await press(bob, asked, 'yes')).toMatchObject(refused(409, 'already_answered'));
  });

  it('a question takes 1,000 answers', async () => {
    const { room, bot, ann } = await aRoomWithBot();
    const asked = await aQuestion(bot, room, { answers: 'one_each' });
    const presses = Array.from({ length: 1_000 }, () => ({ user: new ObjectId(), action: 'yes', at: new Date() }));
    await messages.updateOne({ _id: new ObjectId(asked._id.$oid) }, { $set: { 'question.presses': presses } });
    expect(await press(ann, asked)).toMatchObject(refused(409, 'answers_full'));
  });

  it('only the users of an action’s `who` can press it', async () => {
    const { room, bot, owner, ann, bob } = await aRoomWithBot();
    const moderator = await anAccount();
    await addMember(room, moderator, 'moderator');
    const actions = [
      { id: 'ann', label: 'For Ann', who: [{ $oid: ann.id }] },
      { id: 'moderators', label: 'For moderators', who: 'moderator' },
      { id: 'owners', label: 'For owners', who: 'owner' },
    ];
    const asked = await aQuestion(bot, room, { actions, answers: 'one_each' });
    expect(await press(bob, asked, 'ann')).toMatchObject(refused(403, 'not_asked'));
    expect(await press(bob, asked, 'moderators')).toMatchObject(refused(403, 'moderator_required'));
    expect(await press(moderator, asked, 'owners')).toMatchObject(refused(403, 'owner_required'));
    for (const [who, action] of [
      [ann, 'ann'],
      [moderator, 'moderators'],
      [owner, 'owners'],
    ] as const)
      expect(await press(who, asked, action)).toMatchObject({ status: 200 });
  });

  it('bots and agents cannot press actions, because an answer is evidence of a person', async () => {
    const { room, bot, ann } = await aRoomWithBot();
    const asked = await aQuestion(bot, room);
    for (const program of [bot, await agentOf(ann)])
      expect(await press(program, asked)).toMatchObject(refused(403, 'person_required'));
  });

  it('a press is refused with a clear error', async () => {
    const { room, bot, owner, ann, bob } = await aRoomWithBot();
    const asked = await aQuestion(bot, room);
    const plain = await aMessage(ann, room.id);
    expect(await press(ann, asked, 'maybe')).toMatchObject(refused(404, 'action_not_found'));
    expect(await press(ann, asked, '%20')).toMatchObject(refused(404, 'action_not_found'));
    expect(await press(ann, plain)).toMatchObject(refused(404, 'action_not_found'));
    expect(await press(await anAccount(), asked)).toMatchObject(refused(404, 'message_not_found'));
    expect(await press(await anAdmin(), asked)).toMatchObject(refused(403, 'membership_required'));
    expect(await press(ann, asked, 'yes', { version: 0 })).toMatchObject(refused(400, 'invalid_parameter'));
    await succeed(call('DELETE', `/api/members/${await memberId(room, bob)}`, { token: owner.token }));
    expect(await press(bob, asked)).toMatchObject(refused(404, 'message_not_found'));
    await succeed(call('DELETE', `/api/messages/${asked._id.$oid}`, { token: owner.token }));
    expect(await press(ann, asked)).toMatchObject(refused(409, 'message_deleted'));
    const last = await aQuestion(bot, room);
    await succeed(call('PATCH', `${room.path}/details`, { token: owner.token, body: { archived: true } }));
    expect(await press(ann, last)).toMatchObject(refused(409, 'room_archived'));
  });

  it('a press after the end is refused, but an earlier press can be repeated', async () => {
    const { room, bot, ann, bob } = await aRoomWithBot();
    const expires_at = new Date(Date.now() + 60_000).toISOString();
    const asked = await aQuestion(bot, room, { answers: 'one_each', expires_at });
    await succeed(press(ann, asked));
    const ended = { $set: { 'question.expires_at': new Date(Date.now() - 1) } };
    await messages.updateOne({ _id: new ObjectId(asked._id.$oid) }, ended);
    expect(await press(bob, asked)).toMatchObject(refused(409, 'action_expired'));
    expect(await press(ann, asked)).toMatchObject({ status: 200 });
  });

  it('a press of an earlier version of the text is refused', async () => {
    const { room, bot, ann } = await aRoomWithBot();
    const asked = await aQuestion(bot, room);
    expect(await edit(bot, asked, 'Deploy everything?')).toMatchObject({ status: 200, body: { version: 2 } });
    expect(await press(ann, asked, 'yes', { version: 1 })).toMatchObject(refused(409, 'message_changed'));
    expect(await press(ann, asked, 'yes', { version: 2 })).toMatchObject({ status: 200 });
  });
});

describe('an approval', () => {
  it('an approval is in the audit log with person, text and version, and blocks edits of the text', async () => {
    const { room, bot, ann } = await aRoomWithBot();
    const text = `Deploy ${'x'.repeat(900)}?`;
    const asked = await aQuestion(bot, room, { is_approval: true });
    await succeed(edit(bot, asked, text));
    await succeed(press(ann, asked, 'yes', { version: 2 }));
    expect(await rowsOf(asked)).toMatchObject([
      {
        actor: { kind: 'user', name: ann.username },
        target: { kind: 'room', name: 'General' },
        details: { message: asked._id.$oid, version: '2', asked_by: bot.id, text, action: 'yes', label: 'Approve' },
        failed: null,
      },
    ]);
    expect(await edit(bot, asked, 'Deploy nothing?')).toMatchObject(refused(409, 'message_answered'));
    expect(await verifyTrail()).toMatchObject({ problem: null });
  });

  it('other presses leave no entry in the audit log, and the text can still be edited', async () => {
    const { room, bot, ann } = await aRoomWithBot();
    const asked = await aQuestion(bot, room);
    await succeed(press(ann, asked));
    expect(await rowsOf(asked)).toEqual([]);
    expect(await edit(bot, asked, 'Deployed.')).toMatchObject({ status: 200 });
  });

  it('a press of an approval is refused without the version that the person has read', async () => {
    const { room, bot, ann } = await aRoomWithBot();
    const asked = await aQuestion(bot, room, { is_approval: true });
    expect(await press(ann, asked)).toMatchObject(refused(400, 'missing_parameter', /'version'/));
    expect(await rowsOf(asked)).toEqual([]);
  });

  it('a refused press leaves no entry in the audit log', async () => {
    const { room, bot, ann, bob } = await aRoomWithBot();
    const asked = await aQuestion(bot, room, { is_approval: true });
    await succeed(press(ann, asked, 'yes', { version: 1 }));
    await press(bob, asked, 'yes', { version: 1 });
    await press(ann, asked, 'yes', { version: 1 });
    expect(await rowsOf(asked)).toHaveLength(1);
  });

  it('an edit to a text that the audit log cannot hold is refused', async () => {
    const { room, bot } = await aRoomWithBot();
    const asked = await aQuestion(bot, room, { is_approval: true });
    expect(await edit(bot, asked, 'x'.repeat(1_001))).toMatchObject({ status: 400 });
  });

  it('the entry stays when the message is deleted, and the presses go with the message', async () => {
    const { room, bot, owner, ann } = await aRoomWithBot();
    const asked = await aQuestion(bot, room, { is_approval: true });
    await succeed(press(ann, asked, 'yes', { version: 1 }));
    await succeed(call('DELETE', `/api/messages/${asked._id.$oid}`, { token: owner.token }));
    const shown = await read(ann, asked);
    expect(Object.keys(shown)).not.toContain('presses');
    expect(JSON.stringify(await messages.findOne({ _id: new ObjectId(asked._id.$oid) }))).not.toContain('Approve');
    expect(await rowsOf(asked)).toMatchObject([{ details: { text: 'Deploy?' } }]);
  });

  it('the press of a deleted account stays, without its name', async () => {
    const { room, bot, ann, bob } = await aRoomWithBot();
    const asked = await aQuestion(bot, room);
    await succeed(press(ann, asked));
    await deleteUser(new ObjectId(ann.id));
    expect(await read(bob, asked)).toMatchObject({ presses: [{ action: 'yes', user: { $oid: ann.id } }] });
    expect(await press(bob, asked)).toMatchObject(refused(409, 'already_answered', /^\(deleted\) answered/));
  });
});

describe('bots and agents that ask', () => {
  it("a bot's webhook gets the presses of its questions", async () => {
    const { room, owner, bot, ann } = await aRoomWithBot();
    const receiver = aReceiver();
    const body = { url: receiver.url, events: ['action.pressed'] };
    await succeed(call('PUT', `${bot.path}/webhook`, { token: owner.token, body }));
    const asked = await aQuestion(bot, room);
    await succeed(press(ann, asked, 'no'));
    await deliverOfRoom(room.id);
    expect(receiver.taken.map(({ event }) => event)).toMatchObject([
      { type: 'action.pressed', actor: { $oid: ann.id }, data: { _id: asked._id, presses: [{ action: 'no' }] } },
    ]);
  });

  it("a bot's webhook replies with buttons, and its delivery says why wrong ones were not posted", async () => {
    const { room, owner, bot, ann } = await aRoomWithBot();
    const receiver = aReceiver();
    await succeed(call('PUT', `${bot.path}/webhook`, { token: owner.token, body: { url: receiver.url } }));
    let reply: object = { text: 'Deploy?', actions: yesOrNo, is_approval: true };
    receiver.answer = () => ({ status: 200, body: reply });
    await aMessage(ann, room.id, { text: `@${bot.username} deploy` });
    await deliverOfRoom(room.id);
    const [posted] = ((await call('GET', `/api/messages?room=${room.id}&limit=1`, { token: ann.token })).body ?? []) as Message[];
    expect(posted).toMatchObject({ user: { $oid: bot.id }, actions: [{ id: 'yes' }, { id: 'no' }], is_approval: true });
    for (const [wrong, why] of [
      [{ text: 'Deploy?', actions: [] }, 'actions'],
      [{ actions: yesOrNo }, 'text'],
      [{ text: 'a'.repeat(10_001) }, 'text'],
    ] as const) {
      reply = wrong;
      await aMessage(ann, room.id, { text: `@${bot.username} again` });
      await deliverOfRoom(room.id);
      const { deliveries } = (await call('GET', `${bot.path}/webhook`, { token: owner.token })).body as { deliveries: object[] };
      expect(deliveries.at(-1)).toMatchObject({ answer: expect.stringContaining(`The reply was not posted: The '${why}'`) });
    }
  });

  it('a slash command answers with buttons, and its caller learns why wrong ones were not posted', async () => {
    const { room, bot, ann } = await aRoomWithBot();
    const [receiver, command] = [aReceiver(), aName()];
    const body = { url: receiver.url, description: 'Deploys the page' };
    await succeed(call('PUT', `${bot.path}/commands/${command}`, { token: bot.token, body }));
    let answer: object = {};
    receiver.answer = () => ({ status: 200, body: { text: 'Deploy?', actions: yesOrNo, ...answer } });
    const ask = () => call('POST', `${room.path}/commands`, { token: ann.token, body: { command } });
    expect(await ask()).toMatchObject({ status: 409, body: { description: expect.stringContaining("'visible_to'") } });
    answer = { visible_to: 'room', expires_at: '2020-01-01T00:00:00Z' };
    expect(await ask()).toMatchObject(refused(409, 'command_failed', /'expires_at'/));
    answer = { visible_to: 'room', text: '' };
    expect(await ask()).toMatchObject(refused(409, 'command_failed', /'text'/));
    answer = { visible_to: 'room' };
    expect(await ask()).toMatchObject({ status: 200, body: { message: { actions: [{ id: 'yes' }, { id: 'no' }] } } });
  });

  it('an agent asks with buttons, once however often it repeats the call, and reads the answer', async () => {
    const { room, ann, bob } = await aRoomWithBot();
    const agent = await anAgent((await agentOf(ann)).token);
    const question = { room: room.id, text: 'Delete the branch?', actions: yesOrNo };
    const first = await agent.use('ask', question);
    expect(first).toMatchObject({ isError: false, structured: { is_repeated: false } });
    expect(await agent.use('ask', question)).toMatchObject({ structured: { is_repeated: true } });
    const { id } = first.structured.message;
    const shown = () => agent.use('read_messages', { room: room.id, limit: 1 });
    const buttons = (no: number) => [
      { id: 'yes', label: 'Approve', presses: 0 },
      { id: 'no', label: 'Refuse', presses: no },
    ];
    expect((await shown()).structured.messages).toMatchObject([{ actions: buttons(0) }]);
    const open = await agent.use('read_answer', { message: id });
    expect(open).toMatchObject({
      structured: { is_open: true, answers: [] },
      text: expect.stringContaining('Nobody has answered'),
    });
    await succeed(press(bob, { _id: { $oid: id } }, 'no'));
    expect(await agent.use('read_answer', { message: id })).toMatchObject({
      structured: {
        is_open: false,
        answers: [{ action: 'no', label: 'Refuse', person: { username: bob.username }, at: expect.stringMatching(/Z$/) }],
      },
      text: expect.stringContaining(`@${bob.username} answered "Refuse"`),
    });
    expect(await shown()).toMatchObject({
      structured: { messages: [{ actions: buttons(1) }] },
      text: expect.stringContaining('[button no: Refuse, presses: 1]'),
    });
    const plain = await aMessage(ann, room.id);
    expect(await agent.use('read_answer', { message: plain._id.$oid })).toMatchObject({ isError: true });
    expect(await agent.use('ask', { room: room.id, text: 'Nothing to press?' })).toMatchObject({ isError: true });
  });
});
