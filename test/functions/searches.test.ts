import { ObjectId } from 'mongodb';
import { beforeAll, describe, expect, it } from 'vitest';
import { messages } from '../../lib/collections/rooms/messages.ts';
import type { Message } from '../../lib/messages/messages.ts';
import { said, searches } from '../corpora/searches.ts';
import { type Account, anAccount } from '../support/accounts.ts';
import { nextMillisecond } from '../support/clock.ts';
import { aFile, aPicture } from '../support/files.ts';
import { aMessage } from '../support/messages.ts';
import { aRoomOf, nextOf } from '../support/rooms.ts';
import { inProcess, type Reply } from '../support/transports.ts';

const [ann, bob] = await Promise.all([anAccount(), anAccount()]);
const names = Object.entries(said);

const get = ({ token }: Account, query: Record<string, string>) =>
  inProcess('GET', `/api/messages?${new URLSearchParams(query)}`, { token });
const textsOf = ({ body }: Reply) => (body as Message[]).map(({ text }) => text);

/** Everything that a search finds, page by page. */
async function everything(by: Account, query: Record<string, string>): Promise<Message[]> {
  const found: Message[] = [];
  let path: string | undefined = `/api/messages?${new URLSearchParams(query)}`;
  while (path) {
    const reply: Reply = await inProcess('GET', path, { token: by.token });
    expect(reply.status).toBe(200);
    found.push(...(reply.body as Message[]));
    path = nextOf(reply);
  }
  return found;
}

describe('the matches of a search', async () => {
  const room = await aRoomOf([ann, bob]);
  beforeAll(async () => {
    for (const [, text] of names) await aMessage(ann, room, { text });
  });

  it.each(searches)('a search finds %s: %j', async (_what, q, expected) => {
    const reply = await get(bob, { room, q });
    const nameOf = (text: string) => names.find(([, one]) => one === text)?.[0];
    expect({ status: reply.status, found: textsOf(reply).map(nameOf).sort() }).toEqual({
      status: 200,
      found: expected.toSorted(),
    });
  });

  it('a search finds the counted words only, and says how many words it ignored', async () => {
    const ignored = async (q: string) => (await get(bob, { room, q })).headers['x-ignored-words'];
    expect([
      await ignored('alpha beta'),
      await ignored('a b c d e f g h i j k l m'),
      await ignored('"a b c d e f" g h i j k'),
    ]).toEqual(['0', '3', '1']);
  });
});

describe('a search', () => {
  it('a search finds the present text of a message, and not the text before it was edited or deleted', async () => {
    const room = await aRoomOf([ann, bob]);
    const [one, other] = [await aMessage(ann, room, { text: 'godwit' }), await aMessage(ann, room, { text: 'godwit too' })];
    const path = ({ _id }: Message) => `/api/messages/${_id.$oid}`;
    await inProcess('PATCH', path(one), { token: ann.token, body: { text: 'dunlin' } });
    await inProcess('DELETE', path(other), { token: ann.token });
    expect([textsOf(await get(bob, { room, q: 'godwit' })), textsOf(await get(bob, { room, q: 'dunlin' }))]).toEqual([
      [],
      ['dunlin'],
    ]);
    const stored = await messages.findOne({ _id: new ObjectId(other._id.$oid) });
    expect(stored).not.toHaveProperty('words');
  });

  it('a search finds the last word of the longest message, also without spaces', async () => {
    const room = await aRoomOf([ann, bob]);
    const words = Array.from({ length: 1_400 }, (_, at) => `w${at.toString(36)}x`).join(' ');
    const letters = Array.from({ length: 1_900 }, (_, at) => String.fromCodePoint(0x4e00 + ((at * 37) % 5_000))).join('');
    await aMessage(ann, room, { text: `${words} turnstone` });
    await aMessage(ann, room, { text: `${letters}三趾滨鹬` });
    expect([(await get(bob, { room, q: 'turnstone' })).body, (await get(bob, { room, q: '滨鹬' })).body]).toMatchObject([
      [{ text: `${words} turnstone` }],
      [{ text: `${letters}三趾滨鹬` }],
    ]);
  });

  describe.each(['best', 'newest'])('a search for a word in many messages, %s first', async (order) => {
    const me = await anAccount();
    const ours = await Promise.all([aRoomOf([me, bob]), aRoomOf([me, bob])]);
    const sent: Message[] = [];
    beforeAll(async () => {
      for (let at = 0; at < 40; at++) {
        sent.push(await aMessage(at % 3 ? me : bob, ours[at % 2] as string, { text: `knot ${'knot '.repeat(at % 5)}and ${at}` }));
        await nextMillisecond();
      }
    });
    const idsOf = (found: Message[]) => found.map(({ _id }) => _id.$oid);

    it.each(['in all rooms', 'in one'])('a search returns each message once, page by page to the end, %s', async (where) => {
      const [room] = where === 'in one' ? ours : [undefined];
      const wanted = sent.filter((message) => room === undefined || message.room.$oid === room);
      const query = { q: 'knot', order, ...(room !== undefined && { room }) };
      const [pages, whole] = [await everything(me, { ...query, limit: '7' }), await everything(me, { ...query, limit: '200' })];
      expect(idsOf(pages).sort()).toEqual(idsOf(wanted).sort());
      expect(idsOf(pages)).toEqual(idsOf(whole));
      if (order === 'newest') expect(idsOf(pages)).toEqual(idsOf(wanted.toReversed()));
      else expect(pages[0]?.text).toMatch(/^(knot ){5}/);
    });

    it('a search repeats and skips nothing while others write', async () => {
      const found: Message[] = [];
      let path: string | undefined = `/api/messages?${new URLSearchParams({ q: 'knot', order, limit: '9' })}`;
      while (path) {
        const reply: Reply = await inProcess('GET', path, { token: me.token });
        found.push(...(reply.body as Message[]));
        path = nextOf(reply);
        await aMessage(bob, ours[0] as string, { text: 'knot knot knot knot knot knot' });
      }
      const known = new Set(idsOf(sent));
      expect(
        idsOf(found)
          .filter((id) => known.has(id))
          .sort(),
      ).toEqual(idsOf(sent).sort());
      expect(new Set(idsOf(found)).size).toBe(found.length);
    });

    it('a search can be narrowed to an author and to a time', async () => {
      const since = sent[10]?.created_at.$date as string;
      const until = sent[20]?.created_at.$date as string;
      const expected = sent.filter(({ user, created_at: { $date } }) => user.$oid === bob.id && $date >= since && $date < until);
      expect(expected.length).toBeGreaterThan(1);
      for (const room of [{ room: ours[0] as string }, {}]) {
        const found = await everything(me, { q: 'knot', order, user: bob.id, since, until, ...room });
        const there = expected.filter(({ room: { $oid } }) => !('room' in room) || $oid === room.room);
        expect(idsOf(found).sort()).toEqual(idsOf(there).sort());
      }
    });
  });

  it('a search can be narrowed to messages with a file, a picture or a link', async () => {
    const room = await aRoomOf([ann, bob]);
    const send = async (text: string, wanted?: Parameters<typeof aFile>[2]) => {
      const files = wanted && [(await aFile(ann, room, wanted)).id];
      const { status } = await inProcess('POST', '/api/messages', { token: ann.token, body: { room, text, files } });
      expect(status).toBe(201);
    };
    await send('dunlin alone');
    await send('dunlin noted', { name: 'Notes.txt' });
    await send('dunlin seen', { bytes: aPicture, name: 'Dunlin.png', type: 'image/png' });
    await send('dunlin linked: https://example.org/dunlin');
    const found = async (has: string) => textsOf(await get(bob, { room, q: 'dunlin', has })).sort();
    expect(await found('file')).toEqual(['dunlin noted', 'dunlin seen']);
    expect(await found('picture')).toEqual(['dunlin seen']);
    expect(await found('link')).toEqual(['dunlin linked: https://example.org/dunlin']);
    expect((await get(bob, { room, q: 'dunlin', has: 'sound' })).status).toBe(400);
    expect((await get(bob, { room, has: 'file' })).status).toBe(400);
  });

  it('a search examines a bounded number of messages for a page, and continues after them', async () => {
    const room = await aRoomOf([ann, bob]);
    const one = await aMessage(ann, room, { text: 'phalarope' });
    const { seq = 0 } = (await messages.findOne({ _id: new ObjectId(one._id.$oid) })) ?? {};
    const stored = await messages.findOne({ _id: new ObjectId(one._id.$oid) });
    // These documents have equal tokens but another text.
    const others = Array.from({ length: 2_500 }, (_, at) => ({ ...stored, _id: new ObjectId(), seq: seq + 1 + at, text: 'x' }));
    await messages.unscoped.insertMany(others as never);
    const first = await get(bob, { room, q: 'phalarope' });
    expect(first.body).toEqual([]);
    expect(nextOf(first)).toBeDefined();
    expect((await everything(bob, { room, q: 'phalarope' })).map(({ text }) => text)).toEqual(['phalarope']);
  });
});
