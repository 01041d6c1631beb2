import { afterAll, expect, inject, it, vi } from 'vitest';
import { startProxy } from '../../support/proxy.ts';

const { host } = new URL(inject('environment').MONGODB_URI ?? '');
const proxy = await startProxy(host);
process.env.MONGODB_URI = `mongodb://127.0.0.1:${proxy.port}/?directConnection=true`;
process.env.LOG_LEVEL = 'error';

const { client } = await import('../../../lib/database/client.ts');
const { anAccount } = await import('../../support/accounts.ts');
const { aServer, aTicket, open } = await import('../../support/sockets.ts');

afterAll(async () => {
  await client.close();
  await proxy.close();
});

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
