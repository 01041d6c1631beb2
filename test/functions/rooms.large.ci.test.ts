import { ObjectId } from 'mongodb';
import { describe, expect, it, vi } from 'vitest';
import { rooms } from '../../lib/collections/rooms/rooms.ts';
import { anAdmin } from '../support/accounts.ts';
import { useOwnDatabase } from '../support/config.ts';
import { useDatabaseOutside } from '../support/database-outside.ts';
import { everyPage } from '../support/rooms.ts';
import { commandsOf, planOf } from '../support/sent-commands.ts';
import { inProcess } from '../support/transports.ts';

useOwnDatabase();
await useDatabaseOutside();

const { token } = await anAdmin();

describe('GET /api/rooms with more rooms than a page or a response can carry', () => {
  it('GET /api/rooms lists every room in one response unless a page is requested, and ignores unknown parameters', async () => {
    await store(60, 1);
    const listed = async (query: string) => ((await inProcess('GET', `/api/rooms${query}`, { token })).body as unknown[]).length;
    expect([await listed(''), await listed('?x=1'), await listed('?limit=50')]).toEqual([60, 60, 50]);
    await rooms.deleteMany({});
  });

  it('GET /api/rooms answers 413 with advice, and lists every room page by page', async () => {
    // 170 rooms of 1 000 members are 6.1 MB of JSON, and, as a text within JSON, 6.9 MB.
    await store(170, 1_000);
    const { status, body } = await inProcess('GET', '/api/rooms', { token });
    expect({ status, body }).toEqual({
      status: 413,
      body: {
        title: 'Payload too large',
        description: "The answer would exceed 6 MB: ask for it page by page with the 'limit' parameter.",
      },
    });
    expect(await everyPage(inProcess, '/api/rooms?limit=100', token)).toHaveLength(170);
    expect((await inProcess('GET', '/api/rooms', { token, headers: { 'accept-encoding': 'gzip' } })).status).toBe(200);
    await rooms.deleteMany({});
  });

  it('GET /api/rooms stops reading before it has more than a response can carry', async () => {
    const room = aStoredRoom(0, 1_000);
    const close = vi.fn(async () => {});
    const endless = { hasNext: async () => true, readBufferedDocuments: () => [room], close };
    vi.spyOn(rooms, 'find').mockReturnValueOnce(endless as never);
    expect((await inProcess('GET', '/api/rooms', { token, headers: { 'accept-encoding': 'br' } })).status).toBe(413);
    expect(close).toHaveBeenCalledOnce();
  });
});

describe('the directory of 10 000 rooms', () => {
  it('the directory of 10 000 rooms reads each page with one query that uses an index, the last like the first', async () => {
    await store(10_000, 1);
    const pages: number[] = [];
    let path: string | undefined = '/api/directory?limit=200';
    while (path) {
      const next: string = path;
      const queries = await commandsOf(async () => {
        const { body, headers } = await inProcess('GET', next, { token });
        pages.push((body as unknown[]).length);
        path = headers.link?.match(/^<(.+)>; rel="next"$/)?.[1];
      });
      expect(queries.map(({ collection }) => collection).toSorted()).toEqual(['rooms', 'tokens']);
      if (pages.length === 1 || !path) {
        const [query] = queries.filter(({ collection }) => collection === 'rooms');
        expect(query && (await planOf(query))).toContain('IXSCAN');
      }
    }
    expect(pages).toEqual(Array.from({ length: 50 }, () => 200));
    await rooms.deleteMany({});
  });
});

/** Stores rooms in batches, so that no call takes long. */
async function store(count: number, members: number): Promise<void> {
  const batch = Math.min(1_000, Math.ceil(20_000 / members));
  for (let at = 0; at < count; at += batch) {
    const size = Math.min(batch, count - at);
    await rooms.unscoped.insertMany(Array.from({ length: size }, (_, index) => aStoredRoom(at + index, members)));
  }
}

function aStoredRoom(index: number, members: number) {
  const name = `Room ${index}`;
  const _id = new ObjectId();
  const now = new Date();
  return {
    _id,
    name,
    name_key: `room ${index}\u0001${_id.toHexString()}`,
    is_open: true,
    is_visible: true,
    members: Array.from({ length: members }, () => ({
      _id: new ObjectId(),
      user: new ObjectId(),
      role: 'member' as const,
      joined_at: now,
    })),
    banned: [],
    seq: 0,
    message_count: 0,
    topic: '',
    created_at: now,
    created_by: new ObjectId(),
    changed_at: now,
    archived_at: null,
    last_message_at: null,
  };
}
