import { describe, expect, it, vi } from 'vitest';
import { rooms } from '../../lib/collections/rooms/rooms.ts';
import { anAdmin } from '../support/accounts.ts';
import { useOwnDatabase } from '../support/config.ts';
import { useDatabaseOutside } from '../support/database-outside.ts';
import { everyPage } from '../support/rooms.ts';
import { aStoredRoom, storeRooms } from '../support/stored-rooms.ts';
import { inProcess } from '../support/transports.ts';

useOwnDatabase();
await useDatabaseOutside();

const { token } = await anAdmin();

describe('GET /api/rooms with more rooms than a page or a response can carry', () => {
  it('GET /api/rooms lists every room in one response unless a page is requested, and ignores unknown parameters', async () => {
    await storeRooms(60, 1);
    const listed = async (query: string) => ((await inProcess('GET', `/api/rooms${query}`, { token })).body as unknown[]).length;
    expect([await listed(''), await listed('?x=1'), await listed('?limit=50')]).toEqual([60, 60, 50]);
    await rooms.deleteMany({});
  });

  it('GET /api/rooms answers 413 with advice, and lists every room page by page', async () => {
    // 170 rooms with 1,000 members are 6.1 MB of JSON, or 6.9 MB as a string in JSON.
    await storeRooms(170, 1_000);
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
