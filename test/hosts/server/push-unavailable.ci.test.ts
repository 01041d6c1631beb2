import { expect, it, vi } from 'vitest';
import { anAccount } from '../../support/accounts.ts';
import { useConfig } from '../../support/config.ts';
import { useProxiedDatabase } from '../../support/database-outside.ts';
import { aServer, aTicket, open } from '../../support/sockets.ts';

const proxy = await useProxiedDatabase();
useConfig({ LOG_LEVEL: 'error' });

it('a frame that needs the database is answered with 503 while the database is down, and is logged like a request', async () => {
  const { url, close } = await aServer();
  const { url: path, ticket } = await aTicket(url, await anAccount());
  const { send, of } = await open(url, ['chat.v1', `ticket.${ticket}`], { path });
  const written = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  proxy.set('down');
  send({ type: 'hello' });
  await expect.poll(() => of('error')).toEqual([expect.objectContaining({ status: 503 })]);
  await expect.poll(() => written.mock.calls.join('')).toContain('"level":"error","message":"database unavailable"');
  written.mockRestore();
  proxy.set('pass');
  await close();
});
