import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { useDatabaseOutside } from '../../support/database-outside.ts';
import { commandsOf, planOf } from '../../support/sent-commands.ts';
import { inProcess as call } from '../../support/transports.ts';

await useDatabaseOutside();

describe('whether a name or an address is taken', () => {
  it('the check for a taken name or address uses indexes', async () => {
    const username = `n${randomBytes(6).toString('hex')}`;
    const body = { username, password: 'a long enough password', email: `${username}@example.org` };
    const sent = await commandsOf(async () => {
      expect((await call('POST', '/api/users', { body })).status).toBe(201);
      expect((await call('POST', '/api/users', { body })).status).toBe(409);
    });
    const finds = sent.filter(({ name, collection }) => name === 'find' && collection === 'users');
    expect(finds.length).toBeGreaterThanOrEqual(2);
    for (const find of finds) expect(await planOf(find), JSON.stringify(find.command.filter)).not.toContain('COLLSCAN');
  });
});
