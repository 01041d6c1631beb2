import { createServer } from 'node:net';
import { expect, it } from 'vitest';
import { sendSigned } from '../../../lib/senders/send-signed.ts';
import { withConfig } from '../../support/config.ts';

it('the reason why a receiver has not answered has no addresses of this network', async () => {
  const server = createServer((socket) => socket.destroy());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  const url = `http://127.0.0.1:${port}/`;
  const to = { url, secret: 'whsec_AAAA' } as Parameters<typeof sendSigned>[0];
  const answer = () =>
    withConfig({ WEBHOOK_HOSTS: `http://127.0.0.1:${port}` }, async () => {
      const sent = await sendSigned(to, 'id', { seq: 1, type: 'test' });
      return sent.answer;
    });
  const dropped = await answer();
  await new Promise((resolve) => server.close(resolve));
  const refused = await answer();
  expect(refused).toBe('The connection failed (ECONNREFUSED).');
  expect(`${dropped} ${refused}`).not.toMatch(/127\.0\.0\.1|\d{4}/);
});
