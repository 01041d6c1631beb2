import { describe, expect, it } from 'vitest';
import { rooms } from '../../lib/collections/rooms/rooms.ts';
import { anAdmin } from '../support/accounts.ts';
import { useOwnDatabase } from '../support/config.ts';
import { useDatabaseOutside } from '../support/database-outside.ts';
import { commandsOf, planOf } from '../support/sent-commands.ts';
import { storeRooms } from '../support/stored-rooms.ts';
import { inProcess } from '../support/transports.ts';

useOwnDatabase();
await useDatabaseOutside();

const { token } = await anAdmin();
// The first use of a token causes a write.
await inProcess('GET', '/api/users/me', { token });

describe('the directory of 10 000 rooms', () => {
  it('the directory of 10 000 rooms reads each page with one query that uses an index, the last like the first', async () => {
    await storeRooms(10_000, 1);
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
