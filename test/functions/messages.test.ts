import { describe, expect, it } from 'vitest';
import type { Message } from '../../lib/messages/messages.ts';
import { anAccount, anAdmin } from '../support/accounts.ts';
import { denied } from '../support/error-bodies.ts';
import { aMessage } from '../support/messages.ts';
import { outcome } from '../support/responses.ts';
import { aRoomOf, nextOf } from '../support/rooms.ts';
import type { Reply, SentRequest } from '../support/transports.ts';
import { transports } from '../support/transports.ts';

const [owner, member, stranger, admin] = await Promise.all([anAccount(), anAccount(), anAccount(), anAdmin()]);
const room = await aRoomOf([owner, member]);
const hidden = await aRoomOf([owner], { is_visible: false });
const archived = await aRoomOf([owner, member], { archived_at: new Date() });
const nowhere = 'f'.repeat(24);

const objectId = expect.stringMatching(/^[0-9a-f]{24}$/);
const noSuch = (thing: string) => ({ title: 'Not found', description: `No such ${thing}.`, code: `${thing}_not_found` });
const invalid = (name: string, rule: string) => ({
  title: 'Invalid parameter',
  description: `The '${name}' parameter must ${rule}.`,
  code: 'invalid_parameter',
});
const missing = (name: string) => ({
  title: 'Missing parameter',
  description: `The '${name}' parameter is required.`,
  code: 'missing_parameter',
});
const textRule = 'have 1 to 10000 characters and not be blank';

const searchRule = 'have 1 to 2000 characters, none of them control characters, and not be blank';

describe.each(transports())('/api/messages, %s', (_transport, call) => {
  describe('POST', () => {
    it('POST /api/messages sends a message to the members of a room', async () => {
      const here = await aRoomOf([owner, member]);
      const sent = await call('POST', '/api/messages', {
        token: member.token,
        body: { room: here, text: ' Hello,\n\tworld 🦉 ' },
      });
      expect(outcome(sent)).toEqual({
        status: 201,
        body: {
          _id: { $oid: objectId },
          room: { $oid: here },
          seq: 1,
          user: { $oid: member.id },
          username: member.username,
          text: ' Hello,\n\tworld 🦉 ',
          files: [],
          created_at: { $date: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/) },
          edited_at: null,
          deleted_at: null,
          thread: null,
          is_in_room: true,
          reply_count: 0,
          repliers: [],
          replied_at: null,
          mentions: [],
          mentions_all: null,
          reactions: [],
          pinned_at: null,
        },
      });
      expect((await call('GET', `/api/messages?room=${here}`, { token: owner.token })).body).toEqual([sent.body]);
    });

    it('POST /api/messages accepts ids in both forms, and gives each message the next seq', async () => {
      const here = await aRoomOf([owner]);
      const bodies = [
        { room: here, text: 'a' },
        { room: { $oid: here }, text: 'b' },
      ];
      for (const [index, body] of bodies.entries())
        expect(await call('POST', '/api/messages', { token: owner.token, body })).toMatchObject({
          status: 201,
          body: { seq: index + 1 },
        });
    });

    it('POST /api/messages replies to a message, and the message counts its replies', async () => {
      const parent = await aMessage(owner, room, {}, call);
      const replies = await Promise.all(
        Array.from({ length: 8 }, () => aMessage(member, room, { thread: parent._id.$oid }, call)),
      );
      expect(replies.map(({ thread }) => thread)).toEqual(replies.map(() => parent._id));
      const { body } = await call('GET', `/api/messages/${parent._id.$oid}`, { token: owner.token });
      const last = replies
        .map(({ created_at }) => created_at.$date)
        .sort()
        .at(-1);
      expect(body).toEqual({ ...parent, reply_count: 8, repliers: [{ $oid: member.id }], replied_at: { $date: last } });
      const thread = await call('GET', `/api/messages?room=${room}&thread=${parent._id.$oid}`, { token: owner.token });
      expect(thread.body).toEqual(replies.toSorted((one, other) => one.seq - other.seq));
    });

    it('POST /api/messages finds the members that a text mentions, and nobody else', async () => {
      const text = `@${owner.username}, (@${member.username.toUpperCase()}). @${owner.username}! @${stranger.username} @nobody-of-all x@${member.username}`;
      const { mentions } = await aMessage(owner, room, { text }, call);
      expect(mentions).toHaveLength(2);
      expect(mentions).toEqual(expect.arrayContaining([{ $oid: owner.id }, { $oid: member.id }]));
      const inAddress = await aMessage(owner, room, { text: `mail@${member.username}` }, call);
      expect(inAddress.mentions).toEqual([]);
    });
  });

  it.each<[string, SentRequest, number, unknown]>([
    [
      'without a token',
      { token: undefined },
      401,
      { title: 'Not authentificated', description: 'Please provide an auth token or login.', code: 'unauthenticated' },
    ],
    ['from a stranger', { token: stranger.token }, 403, denied('Room membership required.')],
    ['from an admin who is not a member', { token: admin.token }, 403, denied('Room membership required.')],
    ['to a hidden room, from a stranger', { token: stranger.token, body: { room: hidden, text: 'x' } }, 404, noSuch('room')],
    ['to an unknown room', { body: { room: nowhere, text: 'x' } }, 404, noSuch('room')],
    [
      'to an archived room',
      { body: { room: archived, text: 'x' } },
      409,
      { title: 'Conflict', description: 'The room is archived.', code: 'room_archived' },
    ],
    ['in reply to an unknown message', { body: { room, text: 'x', thread: nowhere } }, 404, noSuch('message')],
    [
      'in reply to an unknown message, from a stranger',
      { token: stranger.token, body: { room, text: 'x', thread: nowhere } },
      403,
      denied('Room membership required.'),
    ],
    ['without a room', { body: { text: 'x' } }, 400, missing('room')],
    ['to a malformed room', { body: { room: 'x', text: 'x' } }, 400, invalid('room', 'be an id of 24 hexadecimal characters')],
    [
      'in reply to a malformed id',
      { body: { room, text: 'x', thread: 7 } },
      400,
      invalid('thread', 'be an id of 24 hexadecimal characters'),
    ],
    ['without a text', { body: { room } }, 400, missing('text')],
    ['with an empty text', { body: { room, text: '' } }, 400, invalid('text', textRule)],
    ['with a blank text', { body: { room, text: ' \n' } }, 400, invalid('text', textRule)],
    ['with a text that is an operator', { body: { room, text: { $gt: '' } } }, 400, invalid('text', textRule)],
    ['with a text of 10 001 code points', { body: { room, text: '🦉'.repeat(10_001) } }, 400, invalid('text', textRule)],
    [
      'with an empty key',
      { headers: { 'idempotency-key': '' } },
      400,
      invalid('Idempotency-Key', 'be 1 to 255 visible ASCII characters'),
    ],
    [
      'with a key of 256 characters',
      { headers: { 'idempotency-key': 'k'.repeat(256) } },
      400,
      invalid('Idempotency-Key', 'be 1 to 255 visible ASCII characters'),
    ],
    [
      'with a key with a space',
      { headers: { 'idempotency-key': 'a b' } },
      400,
      invalid('Idempotency-Key', 'be 1 to 255 visible ASCII characters'),
    ],
  ])('POST /api/messages refuses a message %s, and accepts a valid one', async (_what, sent, status, body) => {
    const good = { token: member.token, body: { room, text: 'Hello' } };
    expect(outcome(await call('POST', '/api/messages', { ...good, ...sent }))).toEqual({ status, body });
    expect((await call('POST', '/api/messages', good)).status).toBe(201);
  });

  it('POST /api/messages accepts a text of 10 000 code points, and a key of 255 characters', async () => {
    const text = '🦉'.repeat(10_000);
    expect((await aMessage(member, room, { text, key: 'k'.repeat(219) + crypto.randomUUID() }, call)).text).toBe(text);
  });

  describe('GET', () => {
    const pages = (async () => {
      const here = await aRoomOf([owner, member]);
      const sent: Message[] = [];
      for (let index = 0; index < 12; index++) {
        sent.push(
          await aMessage(index % 3 ? owner : member, here, {
            text: `${index % 4 ? 'owl' : 'mouse'} ${index} @${index % 5 ? 'x' : owner.username}`,
          }),
        );
        // This takes a place, so that the places of the messages are not consecutive.
        await call('PUT', `/api/messages/${sent.at(-1)?._id.$oid}/reactions/owl`, { token: owner.token, body: {} });
      }
      for (const pinned of [1, 7])
        await call('PUT', `/api/messages/${sent[pinned]?._id.$oid}/pin`, { token: owner.token, body: {} });
      return { here, seqs: sent.map(({ seq }) => seq) };
    })();

    // The indexes of the returned messages, of twelve.
    it.each<[string, (seqs: number[]) => string, number[]]>([
      ['every message of a short room', () => '', [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]],
      ['the newest page', () => '&limit=3', [9, 10, 11]],
      ['messages before a seq', (seqs) => `&limit=3&before=${seqs[5]}`, [2, 3, 4]],
      ['messages after a seq', (seqs) => `&limit=3&after=${seqs[5]}`, [6, 7, 8]],
      ['messages after the seq of another event', (seqs) => `&limit=1&after=${(seqs[5] ?? 0) + 1}`, [6]],
      ['messages around a seq', (seqs) => `&limit=4&around=${seqs[5]}`, [4, 5, 6, 7]],
      ['messages around the beginning', () => '&limit=4&around=0', [0, 1]],
      ['nothing before the beginning', () => '&before=1', []],
      ['nothing after the end', () => '&after=1000', []],
      ['the messages of a user', () => `&user=${member.id}`, [0, 3, 6, 9]],
      ['a page of the messages of a user', (seqs) => `&user=${member.id}&limit=2&before=${seqs[9]}`, [3, 6]],
      ['pinned messages', () => '&pinned=true', [1, 7]],
      ['messages that mention the caller', () => '&mentions=me', [0, 5, 10]],
      ['messages with a word, the newer first of those that match equally well', () => '&q=mouse', [8, 4, 0]],
      ['messages with all of the words', () => '&q=mouse+4&limit=12', [4]],
      ['a page of the messages with a word', (seqs) => `&q=mouse&before=${seqs[8]}&limit=1`, [4]],
      ['nothing for a word that is in no message', () => '&q=eagle', []],
    ])('GET /api/messages returns %s', async (_what, query, expected) => {
      const { here, seqs } = await pages;
      const { status, body } = await call('GET', `/api/messages?room=${here}${query(seqs)}`, { token: owner.token });
      expect({ status, seqs: (body as Message[]).map(({ seq }) => seq) }).toEqual({
        status: 200,
        seqs: expected.map((index) => seqs[index]),
      });
    });

    it.each([
      ['backwards', '&limit=5'],
      ['forwards', '&limit=5&after=0'],
      ['forwards from around a seq', '&limit=2&around=1'],
      ['backwards through a search', '&limit=1&q=mouse'],
    ])('GET /api/messages is paged through %s without skipping or repeating any', async (_what, query) => {
      const { here, seqs } = await pages;
      const found: number[] = [];
      let path: string | undefined = `/api/messages?room=${here}${query}`;
      while (path) {
        const reply: Reply = await call('GET', path, { token: owner.token });
        found.push(...(reply.body as Message[]).map(({ seq }) => seq));
        path = nextOf(reply);
      }
      expect(found.toSorted((one, other) => one - other)).toEqual(query.includes('mouse') ? [seqs[0], seqs[4], seqs[8]] : seqs);
    });

    it.each<[string, string, SentRequest, number, unknown]>([
      ['for a stranger', '', { token: stranger.token }, 403, denied('Room membership required.')],
      ['without a room', '?limit=5', {}, 400, missing('room')],
      ['of a malformed room', '?room=x', {}, 400, invalid('room', 'be an id of 24 hexadecimal characters')],
      ['of an unknown room', `?room=${nowhere}`, {}, 404, noSuch('room')],
      ['of a hidden room, for a stranger', `?room=${hidden}`, { token: stranger.token }, 404, noSuch('room')],
      ['of 0 messages', `?room=${room}&limit=0`, {}, 400, invalid('limit', 'be from 1 to 200')],
      ['of 201 messages', `?room=${room}&limit=201`, {}, 400, invalid('limit', 'be from 1 to 200')],
      ['before a malformed seq', `?room=${room}&before=x`, {}, 400, invalid('before', `be from 0 to ${Number.MAX_SAFE_INTEGER}`)],
      ['after a negative seq', `?room=${room}&after=-1`, {}, 400, invalid('after', `be from 0 to ${Number.MAX_SAFE_INTEGER}`)],
      [
        'with both before and after',
        `?room=${room}&before=9&after=1`,
        {},
        400,
        invalid('after', "not be combined with 'before'"),
      ],
      ['with pinned=false', `?room=${room}&pinned=false`, {}, 400, invalid('pinned', "be 'true'")],
      ['of the mentions of another user', `?room=${room}&mentions=${owner.id}`, {}, 400, invalid('mentions', "be 'me'")],
      [
        'with two filters',
        `?room=${room}&user=${owner.id}&pinned=true`,
        {},
        400,
        invalid('pinned', "not be combined with 'user'"),
      ],
      ['with a filter and q', `?room=${room}&q=owl&mentions=me`, {}, 400, invalid('q', "not be combined with 'mentions'")],
      ['with an empty q', `?room=${room}&q=`, {}, 400, invalid('q', searchRule)],
      ['with a NUL in q', `?room=${room}&q=a%00`, {}, 400, invalid('q', searchRule)],
      ['with 2001 characters in q', `?room=${room}&q=${'a'.repeat(2001)}`, {}, 400, invalid('q', searchRule)],
      ['around a place, with q', `?room=${room}&q=owl&around=1`, {}, 400, invalid('q', "not be combined with 'around'")],
    ])('GET /api/messages refuses a page %s, and serves a valid one', async (_what, query, sent, status, body) => {
      const path = `/api/messages${query || `?room=${room}`}`;
      expect(outcome(await call('GET', path, { token: member.token, ...sent }))).toEqual({ status, body });
      expect((await call('GET', `/api/messages?room=${room}`, { token: member.token })).status).toBe(200);
    });

    it('GET /api/messages refuses only the third concurrent search of the same user', async () => {
      const path = `/api/messages?room=${room}&q=owl`;
      const searches = await Promise.all(Array.from({ length: 30 }, () => call('GET', path, { token: member.token })));
      const statuses = new Set(searches.map(({ status }) => status));
      expect([...statuses].filter((status) => status !== 200 && status !== 429)).toEqual([]);
      for (const { token } of [member, owner]) expect((await call('GET', path, { token })).status).toBe(200);
    });

    it('GET /api/messages lets admins read rooms that they are not members of', async () => {
      const { here } = await pages;
      expect((await call('GET', `/api/messages?room=${here}&limit=2`, { token: admin.token })).body).toHaveLength(2);
    });
  });
});
