import { ObjectId } from 'mongodb';
import { describe, expect, it } from 'vitest';
import { messages } from '../../lib/collections/rooms/messages.ts';
import { type Account, aName, anAccount, anAdmin } from '../support/accounts.ts';
import { refusals } from '../support/error-bodies.ts';
import { aMessage } from '../support/messages.ts';
import { outcome } from '../support/responses.ts';
import { aRoomOf } from '../support/rooms.ts';
import { inProcess as call } from '../support/transports.ts';

const admin = await anAdmin();
const [ann, bob] = [await anAccount(), await anAccount()];
const room = await aRoomOf([ann, bob]);
const { _id: own } = await aMessage(ann, room);

/** Each place that accepts a text: how to send it, and the text that is stored. */
const places: [string, string, (text: string) => Promise<[status: number, kept: unknown, description: string]>][] = [
  ['a message', 'text', (text) => send('POST', '/api/messages', { room, text }, ({ text }) => text)],
  ['an edit', 'text', (text) => send('PATCH', `/api/messages/${own.$oid}`, { text }, ({ text }) => text)],
  ['a topic', 'topic', (topic) => send('PATCH', `/api/rooms/${room}/details`, { topic }, ({ topic }) => topic)],
  ['a new room', 'name', (name) => send('POST', '/api/rooms', { name }, ({ name }) => name, admin)],
  ['the name of a room', 'name', (name) => send('PATCH', `/api/rooms/${room}`, { name }, ({ name }) => name)],
  ['the name of a token', 'name', (name) => send('POST', '/api/tokens', { name, scopes: ['rooms:read'] }, ({ name }) => name)],
];

async function send(
  method: string,
  path: string,
  body: object,
  keptOf: (shown: Record<string, unknown>) => unknown,
  { token } = ann,
): Promise<[number, unknown, string]> {
  const reply = await call(method, path, { token, body });
  const shown = reply.body as Record<string, unknown>;
  return [reply.status, keptOf(shown), String(shown.description)];
}

const isOneLine = (parameter: string) => parameter === 'name';

describe.each(places)('%s', (what, parameter, put) => {
  it(`${what} is stored with line breaks of one kind and without sequences of a terminal`, async () => {
    const own = aName();
    const [status, kept] = await put(`${own}\r\n\u001b[1;31mone\u001b[0m\vtwo\u2028three\u0085four\rfive`);
    expect(status).toBeLessThan(300);
    expect(kept).toBe(`${own}\none\ntwo\nthree\nfour\nfive`.replaceAll('\n', isOneLine(parameter) ? ' ' : '\n'));
  });

  it(`${what} is refused with the position of any other control character`, async () => {
    const [status, , description] = await put(`one\u0008two`);
    expect([status, description]).toEqual([
      400,
      `The '${parameter}' parameter must not have the control character U+0008 (line 1, character 4).`,
    ]);
  });

  it.each(['\u2800', '\u3164', '\u200b\ufeff', '\u00ad\u2060', '\u{e0020}', '\r\u2028', '\u001b[0m'])(
    `${what} is ${what === 'a topic' ? 'empty' : 'refused'} if nothing of it can be seen: %j`,
    async (text) => {
      const [status, kept] = await put(text);
      if (what === 'a topic') expect([status, kept]).toEqual([200, '']);
      else expect(status).toBe(400);
    },
  );

  it(`${what} keeps emoji of several characters, and joiners of scripts`, async () => {
    const text = `${aName()} 👩🏽‍💻❤️🏴󠁧󠁢󠁳󠁣󠁴󠁿 می‌خواهم क्‍ष`;
    expect((await put(text))[1]).toBe(text);
  });

  it(`${what} has at most 20 marks on a letter`, async () => {
    const own = aName();
    expect((await put(`${own} Z${'\u0336'.repeat(60)}`))[1]).toBe(`${own} Z${'\u0336'.repeat(20)}`);
  });
});

describe('a message', () => {
  it('a message takes the log of a bot as it is', async () => {
    const log = Array.from({ length: 40 }, (_, at) => `\u001b[90m12:00:${at}\u001b[39m \u001b[32mINFO\u001b[39m step ${at}\r\n`);
    const { text } = await aMessage(ann, room, { text: log.join('') });
    expect(text).toBe(Array.from({ length: 40 }, (_, at) => `12:00:${at} INFO step ${at}\n`).join(''));
  });

  it('a message that is sent again with the same key is the same, however its lines end', async () => {
    const key = crypto.randomUUID();
    const [first, second] = [
      await aMessage(ann, room, { text: 'a\r\nb', key }),
      await aMessage(ann, room, { text: 'a\nb', key }),
    ];
    expect(second).toEqual(first);
  });
});

describe('a reaction', () => {
  const react = (method: 'PUT' | 'DELETE', message: { _id: { $oid: string } }, emoji: string, { token }: Account) =>
    call(method, `/api/messages/${message._id.$oid}/reactions/${encodeURIComponent(emoji)}`, { token, body: {} });
  const reactionsOf = async (message: { _id: { $oid: string } }) =>
    ((await call('GET', `/api/messages/${message._id.$oid}`, { token: ann.token })).body as { reactions: unknown }).reactions;
  const by = (emoji: string, ...who: Account[]) => ({ emoji, users: who.map(({ id }) => ({ $oid: id })) });

  it.each([
    ['❤', '❤️'],
    ['👍️', '👍'],
    ['1⃣', '1️⃣'],
    ['🏳‍🌈', '🏳️‍🌈'],
    ['☎︎', '☎️'],
  ])('a reaction in two forms counts as one: %s and %s', async (one, other) => {
    const message = await aMessage(ann, room);
    await react('PUT', message, one, ann);
    await react('PUT', message, other, ann);
    expect((await react('PUT', message, other, bob)).body).toMatchObject({ reactions: [by(other, ann, bob)] });
    expect((await react('DELETE', message, one, bob)).body).toMatchObject({ reactions: [by(other, ann)] });
    expect((await react('DELETE', message, other, ann)).body).toMatchObject({ reactions: [] });
    const stored = await aMessage(ann, room);
    await react('PUT', stored, one, ann);
    const document = await messages.findOne({ _id: new ObjectId(stored._id.$oid) });
    expect(document?.reactions.map(({ emoji }) => emoji)).toEqual([other]);
  });

  it('a reaction that was stored in two forms is shown as one, joined as one, and taken back as one', async () => {
    const message = await aMessage(ann, room);
    const of = ({ id }: Account, emoji: string) => ({ emoji, user: new ObjectId(id) });
    const stored = [of(ann, '❤'), of(bob, '❤️'), of(bob, '❤'), of(ann, '👍️'), of(ann, '👍👍')];
    await messages.updateOne({ _id: new ObjectId(message._id.$oid) }, { $set: { reactions: stored } });
    const [hearts, thumbs, two] = [by('❤️', ann, bob), by('👍', ann), by('👍👍', ann)];
    expect(await reactionsOf(message)).toEqual([hearts, thumbs, two]);
    expect((await react('PUT', message, '❤', ann)).body).toMatchObject({ reactions: [hearts, thumbs, two] });
    expect((await react('PUT', message, '👍', bob)).body).toMatchObject({ reactions: [hearts, by('👍', ann, bob), two] });
    expect((await react('DELETE', message, '❤️', bob)).body).toMatchObject({ reactions: [by('❤️', ann), {}, {}] });
    expect((await react('DELETE', message, '👍👍', ann)).body).toMatchObject({ reactions: [by('❤️', ann), {}] });
  });

  it('a reaction that was stored in two forms leaves room for twenty', async () => {
    const message = await aMessage(ann, room);
    const user = new ObjectId(ann.id);
    const stored = ['❤', '❤️', ...Array.from({ length: 18 }, (_, at) => `e${at}`)].map((emoji) => ({ emoji, user }));
    await messages.updateOne({ _id: new ObjectId(message._id.$oid) }, { $set: { reactions: stored } });
    expect((await react('PUT', message, 'e18', bob)).status).toBe(200);
    expect(outcome(await react('PUT', message, 'e19', bob))).toEqual(
      refusals.conflict('The message has 20 different reactions already.'),
    );
  });

  it.each(['👍👍', 'ok👍', '\u2800', 'two\u2028lines', 'a\u0085b'])('a reaction is refused with %j', async (emoji) => {
    const refusal = refusals.invalid('emoji', 'be one emoji, or one word of at most 64 characters');
    expect(outcome(await react('PUT', await aMessage(ann, room), emoji, ann))).toEqual(refusal);
  });
});
