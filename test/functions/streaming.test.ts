import { Collection, ObjectId } from 'mongodb';
import { describe, expect, it, vi } from 'vitest';
import { messages } from '../../lib/collections/rooms/messages.ts';
import { rooms } from '../../lib/collections/rooms/rooms.ts';
import type { Event } from '../../lib/feed/events.ts';
import { createToken } from '../../lib/identity/api-tokens.ts';
import type { Message } from '../../lib/messages/messages.ts';
import { interruptImported, interruptStreams } from '../../lib/messages/streaming/end.ts';
import { findLive, forgetLive, keepLive, type LiveStream, storeLive } from '../../lib/messages/streaming/live.ts';
import { isStreaming } from '../../lib/messages/streaming/start.ts';
import { type Notice, onNotice } from '../../lib/notices/notices.ts';
import { tellOfRoom } from '../../lib/notifications/tell.ts';
import { deliverOfRoom } from '../../lib/senders/deliver.ts';
import { anAccount, anAdmin } from '../support/accounts.ts';
import { aBot } from '../support/bots.ts';
import { useOwnDatabase, withConfig } from '../support/config.ts';
import { aMessage } from '../support/messages.ts';
import { aDevice, subscriptionOf, usePushService } from '../support/push-service.ts';
import { aRoomOf, succeed } from '../support/rooms.ts';
import { inProcess as call, type Reply } from '../support/transports.ts';
import { aReceiver, useWebhookReceivers } from '../support/webhook-receiver.ts';

usePushService();
useWebhookReceivers();
useOwnDatabase();

type Writer = { id: string; token: string };

const begin = async ({ token }: Writer, room: string, more: object = {}): Promise<Message> =>
  (await succeed(call('POST', '/api/messages', { token, body: { room, is_streaming: true, ...more } }))).body as Message;

const patch = ({ token }: Writer, { _id }: Pick<Message, '_id'>, body: object) =>
  call('PATCH', `/api/messages/${_id.$oid}`, { token, body });

const read = async ({ token }: Pick<Writer, 'token'>, { _id }: Pick<Message, '_id'>) =>
  (await succeed(call('GET', `/api/messages/${_id.$oid}`, { token }))).body as Message;

const eventsOf = async (room: string, { token }: Pick<Writer, 'token'>) =>
  ((await succeed(call('GET', `/api/events?room=${room}&after=0`, { token }))).body as Event[]).map(({ type }) => type);

const stored = ({ _id }: Pick<Message, '_id'>) => messages.findOne({ _id: new ObjectId(_id.$oid) });

/** Makes the last chunk of a message so many seconds old. */
const silence = ({ _id }: Pick<Message, '_id'>, seconds: number) =>
  messages.updateOne({ _id: new ObjectId(_id.$oid) }, [
    { $set: { 'streaming.stored_at': { $add: ['$streaming.stored_at', -1_000 * seconds] } } },
  ]);

/** A room with a person and a bot. */
async function aTeam(more: Parameters<typeof aRoomOf>[1] = {}) {
  const [ann, bot] = await Promise.all([anAccount(), aBot()]);
  return { ann, bot, room: await aRoomOf([ann, bot], more) };
}

describe('a message that streams', () => {
  it('a streamed message grows, and is complete without an edit, with one event at its start and one at its end', async () => {
    const { ann, bot, room } = await aTeam();
    const message = await begin(bot, room);
    expect(message).toMatchObject({ text: '', is_streaming: true, edited_at: null });
    expect(await patch(bot, message, { append: 'Hello ', at: 0 })).toMatchObject({
      status: 200,
      body: { text: 'Hello ', is_streaming: true },
    });
    await patch(bot, message, { append: `@${ann.username} 🦉`, at: 6 });
    await storeLive();
    expect(await read(ann, message)).toMatchObject({ text: `Hello @${ann.username} 🦉`, is_streaming: true, mentions: [] });
    const at = 6 + ann.username.length + 3;
    const ended = await patch(bot, message, { append: '!', at, is_streaming: false });
    const text = `Hello @${ann.username} 🦉!`;
    expect(ended).toMatchObject({
      status: 200,
      body: { text, is_streaming: false, edited_at: null, mentions: [{ $oid: ann.id }] },
    });
    expect(ended.body).not.toHaveProperty('is_interrupted');
    expect(await read(ann, message)).toEqual(ended.body);
    expect(await eventsOf(room, ann)).toEqual(['message.created', 'message.completed']);
  });

  it('an agent streams for its user, and a start that is repeated with its key creates one message', async () => {
    const ann = await anAccount();
    const room = await aRoomOf([ann]);
    const { token } = await createToken(new ObjectId(ann.id), 'Claude Code', { isAgent: true });
    const body = { room, is_streaming: true };
    const headers = { 'idempotency-key': 'answer-1' };
    const [first, again] = [
      await call('POST', '/api/messages', { token, body, headers }),
      await call('POST', '/api/messages', { token, body, headers }),
    ];
    expect(first.body).toMatchObject({ via: 'Claude Code', is_streaming: true });
    expect(again).toMatchObject({ status: 201, body: { _id: (first.body as Message)._id } });
    const other = await call('POST', '/api/messages', { token, body: { room, text: 'whole' }, headers });
    expect(other.status).toBe(422);
  });

  it('a chunk that is repeated, or overlaps the text, is appended once', async () => {
    const { bot, room } = await aTeam();
    const message = await begin(bot, room, { text: 'One' });
    for (const [append, at] of [
      [' two', 3],
      [' two', 3],
      ['two three', 4],
      ['two', 4],
    ] as const)
      expect((await patch(bot, message, { append, at })).status).toBe(200);
    const last = { append: ' four', at: 13, is_streaming: false };
    const [ended, again] = [await patch(bot, message, last), await patch(bot, message, last)];
    expect(ended.body).toMatchObject({ text: 'One two three four' });
    expect(again).toMatchObject({ status: 200, body: ended.body });
  });

  it('a last chunk that is repeated to another process gets the same answer', async () => {
    const { bot, room } = await aTeam();
    const message = await begin(bot, room);
    await patch(bot, message, { append: 'One', at: 0 });
    const live = findLive(new ObjectId(message._id.$oid)) as LiveStream;
    const last = { append: ' two', at: 3, is_streaming: false };
    const ended = await patch(bot, message, last);
    // The other process has accepted a chunk earlier, and does not know of the end.
    keepLive(live);
    expect(await patch(bot, message, last)).toMatchObject({ status: 200, body: ended.body });
    expect(findLive(live.message._id)).toBeUndefined();
    keepLive(live);
    const other = { append: ' three', at: 3, is_streaming: false };
    expect(await patch(bot, message, other)).toMatchObject({ status: 409, body: { code: 'not_streaming' } });
  });

  it('a last chunk that is repeated gets the same answer, although the text was changed to its normal form', async () => {
    const { bot, room } = await aTeam();
    const message = await begin(bot, room);
    await patch(bot, message, { append: 'One\u2028', at: 0 });
    const last = { append: 'two\u2028three', at: 4, is_streaming: false };
    const [ended, again] = [await patch(bot, message, last), await patch(bot, message, last)];
    expect(ended).toMatchObject({ status: 200, body: { text: 'One\ntwo\nthree' } });
    expect(again).toMatchObject({ status: 200, body: ended.body });
  });

  it('a chunk that does not continue the text is refused with the present length', async () => {
    const { bot, room } = await aTeam();
    const message = await begin(bot, room, { text: '🦉🦉' });
    for (const body of [
      { append: 'x', at: 3 },
      { append: 'x', at: 1 },
      { at: 1, is_streaming: false },
    ]) {
      const refused = await patch(bot, message, body);
      expect(refused).toMatchObject({ status: 409, body: { code: 'wrong_position' } });
      expect(refused.headers['x-stream-length']).toBe('2');
    }
  });

  it('a writer continues after its server lost the last chunks', async () => {
    const { bot, room } = await aTeam();
    const message = await begin(bot, room);
    await patch(bot, message, { append: 'stored', at: 0 });
    await storeLive();
    await patch(bot, message, { append: ' lost', at: 6 });
    forgetLive(new ObjectId(message._id.$oid));
    const refused = await patch(bot, message, { append: ' more', at: 11 });
    expect(refused.headers['x-stream-length']).toBe('6');
    const ended = await patch(bot, message, { append: ' lost more', at: 6, is_streaming: false });
    expect(ended.body).toMatchObject({ text: 'stored lost more' });
  });

  it('a chunk is kept if its stream leaves the memory while the chunk is checked', async () => {
    const { bot, room } = await aTeam();
    const message = await begin(bot, room);
    await patch(bot, message, { append: 'stored', at: 0 });
    await storeLive();
    const { aggregate } = Collection.prototype;
    const spy = vi.spyOn(Collection.prototype, 'aggregate').mockImplementation(function (this: Collection, ...all) {
      if (this.collectionName === 'rooms') forgetLive(new ObjectId(message._id.$oid));
      return aggregate.apply(this, all);
    });
    expect((await patch(bot, message, { append: ' more', at: 6 })).status).toBe(200);
    spy.mockRestore();
    await storeLive();
    expect(await messages.findOne({ _id: new ObjectId(message._id.$oid) })).toMatchObject({ text: 'stored more' });
  });

  it('chunks are sent to readers immediately, and the text is stored at most once a second', async () => {
    const { bot, room } = await aTeam();
    const chunks: Notice[] = [];
    const stop = onNotice((notice) => notice.type === 'chunk' && notice.room === room && chunks.push(notice));
    const begunAt = Date.now();
    const message = await begin(bot, room);
    for (const at of [0, 1, 2]) await patch(bot, message, { append: String(at), at });
    await expect.poll(async () => (await stored(message))?.text).toBe('012');
    // A timer may end a millisecond early, and dates are whole milliseconds.
    expect(((await stored(message))?.streaming?.stored_at.getTime() ?? 0) - begunAt).toBeGreaterThanOrEqual(998);
    stop();
    const same = { type: 'chunk', room, message: message._id.$oid, user: bot.id, at: 0 };
    expect(chunks).toEqual(['0', '01', '012'].map((text) => ({ ...same, text })));
  });

  it('more than ten chunks a second are refused, and chunks do not use the rate of the account', async () => {
    const { bot, room } = await aTeam();
    const message = await begin(bot, room);
    const replies: Reply[] = [];
    await withConfig({ RATE_LIMITS: 'on' }, async () => {
      for (let at = 0; at < 30 && replies.at(-1)?.status !== 429; at++)
        replies.push(await patch(bot, message, { append: '.', at }));
    });
    expect(replies.at(-1)).toMatchObject({ status: 429, headers: { 'retry-after': '1' } });
    expect(replies.every(({ headers }) => headers.ratelimit === undefined)).toBe(true);
    const end = { at: replies.length - 1, is_streaming: false };
    const ended = await withConfig({ RATE_LIMITS: 'on' }, () => patch(bot, message, end));
    expect(ended.headers).toHaveProperty('ratelimit');
  });

  it('a message that streams is found, mentions and is unread as a mention when it is complete', async () => {
    const { ann, bot, room } = await aTeam();
    const find = async () => (await call('GET', `/api/messages?room=${room}&q=zeppelin`, { token: ann.token })).body;
    const mine = async () => {
      const { body } = await succeed(call('GET', '/api/members?user=me', { token: ann.token }));
      const member = (body as { room: { $oid: string }; _id: { $oid: string }; unread_mentions: number }[]).find(
        (one) => one.room.$oid === room,
      );
      return member as NonNullable<typeof member>;
    };
    const message = await begin(bot, room, { text: `zeppelin @${ann.username}` });
    expect([await find(), (await mine()).unread_mentions]).toEqual([[], 0]);
    // She has read the beginning.
    const path = `/api/members/${(await mine())._id.$oid}`;
    await succeed(call('PATCH', path, { token: ann.token, body: { last_read: message.seq } }));
    await patch(bot, message, { at: 10 + ann.username.length, is_streaming: false });
    expect(await find()).toMatchObject([{ _id: message._id }]);
    expect((await mine()).unread_mentions).toBe(1);
  });

  it('devices and webhooks are notified once, of the complete text', async () => {
    const { ann, bot, room } = await aTeam();
    const device = aDevice();
    const { key } = (await call('GET', '/api/push-subscription', { token: ann.token })).body as { key: string };
    const body = { ...subscriptionOf(device, key), of: 'all' };
    await succeed(call('PUT', '/api/push-subscription', { token: ann.token, body }));
    const receiver = aReceiver();
    const path = `/api/rooms/${room}/webhooks`;
    await succeed(call('POST', path, { token: ann.token, body: { name: 'Log', url: receiver.url } }));
    const work = async () => {
      await tellOfRoom(room);
      await deliverOfRoom(room);
    };
    const message = await begin(bot, room, { text: 'The answer' });
    await work();
    expect([device.pushes, receiver.taken]).toEqual([[], []]);
    await patch(bot, message, { append: ' is 42.', at: 10, is_streaming: false });
    await work();
    await work();
    expect(device.pushes.map(({ payload }) => payload.text)).toEqual(['The answer is 42.']);
    expect(receiver.taken.map(({ event }) => [event.type, (event.data as Message).text])).toEqual([
      ['message.created', 'The answer is 42.'],
    ]);
  });

  it('a stream without a chunk for a minute is interrupted, with the text that is stored', async () => {
    const { ann, bot, room } = await aTeam();
    const [silent, busy] = [await begin(bot, room, { text: 'Half of' }), await begin(bot, room, { text: 'All' })];
    const empty = await begin(bot, room);
    await Promise.all([silence(silent, 61), silence(busy, 50), silence(empty, 61)]);
    await interruptStreams();
    await interruptStreams();
    const shown = { text: 'Half of', is_streaming: false, is_interrupted: true, edited_at: null };
    expect(await read(ann, silent)).toMatchObject(shown);
    expect(await read(ann, busy)).toMatchObject({ is_streaming: true });
    expect(await read(ann, empty)).toMatchObject({ text: '', is_interrupted: true });
    expect((await eventsOf(room, ann)).filter((type) => type === 'message.completed')).toHaveLength(2);
    expect(await patch(bot, silent, { append: ' it', at: 7 })).toMatchObject({ status: 409, body: { code: 'not_streaming' } });
    // From now on it is a message like any other.
    expect(await patch(bot, silent, { text: 'All of it' })).toMatchObject({ status: 200 });
  });

  it('a silent stream without a room does not keep the others from being interrupted', async () => {
    const [lost, kept] = await Promise.all([aTeam(), aTeam()]);
    const [orphan, silent] = [await begin(lost.bot, lost.room, { text: 'a' }), await begin(kept.bot, kept.room, { text: 'b' })];
    await Promise.all([silence(orphan, 90), silence(silent, 61)]);
    // A server may have died while it deleted the room.
    await rooms.unscoped.deleteOne({ _id: new ObjectId(lost.room) });
    await interruptStreams();
    expect(await read(kept.ann, silent)).toMatchObject({ is_streaming: false, is_interrupted: true });
    expect(await stored(orphan)).not.toHaveProperty('streaming');
  });

  it('the search for silent streams, and for those of an account, reads only messages that stream', async () => {
    const { ann, bot, room } = await aTeam();
    for (let count = 0; count < 5; count++) await aMessage(ann, room);
    await begin(bot, room);
    for (const filter of [isStreaming, { ...isStreaming, user: new ObjectId(bot.id) }]) {
      const found = await messages.find(filter).explain();
      expect(JSON.stringify(found)).toContain('"indexName":"streaming.stored_at"');
    }
  });

  it('a stream of an imported database is interrupted', async () => {
    const { ann, bot, room } = await aTeam();
    const message = await begin(bot, room, { text: 'Half of' });
    await interruptImported();
    expect(await read(ann, message)).toMatchObject({ is_streaming: false, is_interrupted: true });
  });

  it('a page of a room shows the stored text of a message that streams', async () => {
    const { ann, bot, room } = await aTeam();
    const page = async () =>
      ((await call('GET', `/api/messages?room=${room}`, { token: ann.token })).body as Message[]).map(({ text }) => text);
    const message = await begin(bot, room, { text: 'a' });
    for (const [text, at] of [
      ['ab', 1],
      ['abc', 2],
    ] as const) {
      await patch(bot, message, { append: text.slice(at), at });
      await storeLive();
      expect([await page(), await page()]).toEqual([[text], [text]]);
    }
  });

  it('deleting a message ends its stream', async () => {
    const { ann, bot, room } = await aTeam();
    const message = await begin(bot, room, { text: 'a' });
    await succeed(call('DELETE', `/api/messages/${message._id.$oid}`, { token: ann.token }));
    expect(await patch(bot, message, { append: 'b', at: 1 })).toMatchObject({ status: 409, body: { code: 'message_deleted' } });
    expect(await stored(message)).not.toHaveProperty('streaming');
  });

  it('only bots and agents can stream, up to 20 messages at a time', async () => {
    const { ann, bot, room } = await aTeam();
    const body = { room, is_streaming: true };
    const start = ({ token }: Writer) => call('POST', '/api/messages', { token, body });
    expect(await start(ann)).toMatchObject({ status: 403, body: { code: 'program_required' } });
    const first = await begin(bot, room, { text: 'a' });
    for (let count = 1; count < 20; count++) await begin(bot, room);
    expect(await start(bot)).toMatchObject({ status: 409, body: { code: 'too_many_streams' } });
    await patch(bot, first, { at: 1, is_streaming: false });
    expect((await start(bot)).status).toBe(201);
  });

  it('a chunk is refused if it is invalid, of another author, or for a message that does not stream', async () => {
    const { ann, bot, room } = await aTeam();
    const message = await begin(bot, room, { text: 'a' });
    const whole = await aMessage(bot, room, { text: 'whole' });
    const invalid = (description: string) => ({ status: 400, body: { description } });
    const refusals: [Writer, Message, object, object][] = [
      [bot, message, { append: 'b' }, invalid("The 'at' parameter is required.")],
      [bot, message, { at: 1 }, invalid("The 'at' parameter must not be sent without 'append' or 'is_streaming'.")],
      [bot, message, { append: '', at: 1 }, invalid("The 'append' parameter must have 1 to 10000 characters.")],
      [
        bot,
        message,
        { append: 'x'.repeat(10_000), at: 1 },
        invalid("The 'append' parameter must not make the text longer than 10000 characters."),
      ],
      [
        bot,
        message,
        { append: 'b\r', at: 1 },
        invalid("The 'append' parameter must not have the control character U+000D (line 1, character 2)."),
      ],
      [bot, message, { append: 'b', at: 1, is_streaming: true }, invalid("The 'is_streaming' parameter must be false.")],
      [
        bot,
        message,
        { append: 'b', at: 1, text: 'c' },
        invalid("The 'text' parameter must not be combined with 'append' or 'is_streaming'."),
      ],
      [bot, message, { text: 'other' }, { status: 409, body: { code: 'message_streaming' } }],
      [bot, whole, { append: 'b', at: 5 }, { status: 409, body: { code: 'not_streaming' } }],
      [ann, message, { append: 'b', at: 1 }, { status: 403, body: { code: 'author_required' } }],
      [await anAccount(), message, { append: 'b', at: 1 }, { status: 404 }],
    ];
    for (const [writer, to, body, expected] of refusals) expect(await patch(writer, to, body)).toMatchObject(expected);
    const empty = await begin(bot, room);
    expect(await patch(bot, empty, { at: 0, is_streaming: false })).toMatchObject({ status: 400 });
  });

  it('a stream in a room that is archived accepts no text, and can be completed', async () => {
    const { ann, bot, room } = await aTeam();
    const message = await begin(bot, room, { text: 'a' });
    await succeed(call('PATCH', `/api/rooms/${room}/details`, { token: ann.token, body: { archived: true } }));
    expect(await patch(bot, message, { append: 'b', at: 1 })).toMatchObject({ status: 409, body: { code: 'room_archived' } });
    expect(await patch(bot, message, { at: 1, is_streaming: false })).toMatchObject({ status: 200 });
  });
});

describe('the activity of a bot in a thread', () => {
  it('an activity is shown to the members of the room and stored nowhere; only bots and agents have one', async () => {
    const { ann, bot, room } = await aTeam();
    const root = await aMessage(ann, room);
    const thread = root._id.$oid;
    const shown: Notice[] = [];
    const stop = onNotice((notice) => notice.type === 'activity' && notice.room === room && shown.push(notice));
    const act = ({ token }: Writer, activity: string) => call('PATCH', `/api/threads/${thread}`, { token, body: { activity } });
    expect(await act(bot, 'Running\n tests…')).toMatchObject({ status: 200, body: { is_followed: false } });
    await act(bot, '');
    stop();
    const same = { type: 'activity', room, thread, user: bot.id, username: bot.username };
    expect(shown).toEqual([
      { ...same, text: 'Running tests…' },
      { ...same, text: '' },
    ]);
    expect(await act(ann, 'Thinking')).toMatchObject({ status: 403, body: { code: 'program_required' } });
    expect(await act(bot, 'x'.repeat(101))).toMatchObject({ status: 400 });
    expect(await act(await anAdmin(), 'Looking')).toMatchObject({ status: 403 });
    expect(await eventsOf(room, ann)).toEqual(['message.created']);
    await succeed(call('PATCH', `/api/rooms/${room}/details`, { token: ann.token, body: { archived: true } }));
    expect(await act(bot, 'Late')).toMatchObject({ status: 409, body: { code: 'room_archived' } });
  });
});
