import { ObjectId } from 'mongodb';
import { describe, expect, it } from 'vitest';
import { weightOf } from '../../../lib/messages/page-size.ts';
import { anAccount } from '../../support/accounts.ts';
import { useDatabaseOutside } from '../../support/database-outside.ts';
import { aMessage } from '../../support/messages.ts';
import { age, aRoom } from '../../support/rooms.ts';
import { commandsOf } from '../../support/sent-commands.ts';
import { inProcess as call } from '../../support/transports.ts';

await useDatabaseOutside();

const owner = await anAccount();
const { token } = owner;
const { id: room } = await aRoom({ owner });
// 40 kB each, the longest message.
const texts = Array.from({ length: 60 }, (_, at) => `${String(at).padStart(4)}${'🦉'.repeat(9_990)}`);
const sent: string[] = [];
for (const text of texts) sent.push((await aMessage(owner, room, { text }))._id.$oid);

type Seen = { _id: { $oid: string } };

const sizeOf = (body: unknown) => Buffer.byteLength(JSON.stringify(body));

async function walk(first: string) {
  const pages: Seen[][] = [];
  for (let path: string | undefined = first; path; ) {
    const { headers, body } = await call('GET', path, { token });
    pages.push(body as Seen[]);
    path = headers.link?.match(/^<(.+)>; rel="next"$/)?.[1];
  }
  return pages;
}

async function follow(limit: number) {
  const pages: { data: Seen | null }[][] = [];
  for (let after = '0'; ; ) {
    const { headers, body } = await call('GET', `/api/events?room=${room}&after=${after}&limit=${limit}`, { token });
    if ((body as []).length === 0) return pages;
    pages.push(body as (typeof pages)[number]);
    after = headers['x-next-cursor'] ?? '';
  }
}

/**
 * These ids in order, in pages of the same lengths. The order within a page does not matter here.
 */
function inPages(ids: string[], pages: Seen[][]): string[][] {
  let start = 0;
  return pages.map(({ length }) => {
    start += length;
    return ids.slice(start - length, start).sort();
  });
}

describe('a page of messages that are as long as can be', () => {
  it.each(['after=0', 'before=1000'])('a page has 1 MB, and all pages from %s have each message once', async (from) => {
    const pages = await walk(`/api/messages?room=${room}&limit=200&${from}`);
    const inOrder = from.startsWith('before') ? pages.toReversed() : pages;
    expect(inOrder.flat().map(({ _id }) => _id.$oid)).toEqual(sent);
    for (const page of pages) expect(sizeOf(page)).toBeLessThan(1.1 * 1024 * 1024);
  });

  it('a page around a long message has as many messages on each side as fit', async () => {
    const { body } = await call('GET', `/api/messages?room=${room}&limit=200&around=30`, { token });
    expect((body as Seen[]).map(({ _id }) => _id.$oid)).toEqual(sent.slice(18, 42));
  });

  it('a page of a search in several rooms has 1 MB, and all pages have each message once, the newest on the first', async () => {
    const [first, second] = [await aRoom({ owner }), await aRoom({ owner })];
    const found: string[] = [];
    for (let at = 0; at < 60; at++) {
      // Two thirds are long. The short ones except the last are in a separate room.
      const text = at % 3 === 0 ? 'osprey' : `osprey ${'🦉'.repeat(9_990)}`;
      const message = await aMessage(owner, at % 3 === 0 && at < 57 ? second.id : first.id, { text });
      found.unshift(message._id.$oid);
    }
    const pages = await walk('/api/messages?q=osprey&limit=200');
    expect(pages.map((page) => page.map(({ _id }) => _id.$oid).sort())).toEqual(inPages(found, pages));
    for (const page of pages) expect(sizeOf(page)).toBeLessThan(1.1 * 1024 * 1024);
    expect(pages.length).toBeLessThanOrEqual(3);
  });

  it('a page of a feed is read without a search for lost messages after it', async () => {
    await age(room);
    const commands = await commandsOf(() => call('GET', `/api/events?room=${room}&after=0&limit=500`, { token }));
    expect(commands.filter(({ name }) => name === 'insert')).toEqual([]);
  });

  it.each([
    [50, '👍'],
    [500, '🎉'],
  ])('a page of a feed with limit=%i has 1 MB, before and after each message was changed', async (limit, emoji) => {
    const before = await follow(limit);
    expect(before.flat().filter(({ data }) => data && 'text' in data).length).toBeGreaterThanOrEqual(sent.length);
    for (const message of sent) {
      const changed = await call('PUT', `/api/messages/${message}/reactions/${encodeURIComponent(emoji)}`, { token, body: {} });
      expect(changed.status).toBe(200);
    }
    const pages = await follow(limit);
    expect(pages.flat()).toHaveLength(before.flat().length + sent.length);
    for (const page of pages) expect(sizeOf(page)).toBeLessThan(1.2 * 1024 * 1024);
  });
});

it('a message weighs about as much as it has characters, with the names and the descriptions of its files', () => {
  const described = { name: '🦉'.repeat(255), alt: '🦉'.repeat(500), type: 'image/png', size: 1, width: 1, height: 1 };
  const files = Array.from({ length: 10 }, () => ({ _id: new ObjectId(), ...described, duration: null, has_preview: true }));
  const message = { text: '🦉'.repeat(100), files, mentions: [], reactions: [] };
  const ratio = weightOf(message) / sizeOf(message);
  expect([ratio > 0.9, ratio < 1.2]).toEqual([true, true]);
});
