import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { afterAll, expect, it } from 'vitest';
import { isMailServerReady, trySendingMail } from '../../../lib/net/mail.ts';
import { useConfig, withPatience } from '../../support/config.ts';

/** A mail server that sends its greeting, and then an endless response to the first command. */
const sockets = new Set<Socket>();
const server = createServer((socket) => {
  sockets.add(socket);
  socket.on('error', () => undefined);
  socket.write('220 mail.example.org\r\n');
  socket.once('data', () => {
    const timer = setInterval(() => socket.write('250-mail.example.org\r\n'), 50);
    socket.once('close', () => {
      clearInterval(timer);
      sockets.delete(socket);
    });
  });
});
server.listen(0, '127.0.0.1');
await once(server, 'listening');
afterAll(() => {
  for (const socket of sockets) socket.destroy();
  server.close();
});

useConfig({
  SMTP_URL: `smtp://127.0.0.1:${(server.address() as AddressInfo).port}`,
  MAIL_FROM: 'Chat <chat@example.org>',
  PUBLIC_URL: 'https://chat.example.org',
});

it('an e-mail ends although its mail server sends bytes without an end, and leaves no connection behind', async () => {
  const mail = { to: 'ann@example.org', subject: 'Hello', text: 'Hello' };
  expect(await withPatience({ mailServer: 400 }, () => trySendingMail(mail))).toBe('unknown');
  await expect.poll(() => sockets.size).toBe(0);
});

it('a mail server whose answer does not end is not ready', async () => {
  expect(await withPatience({ mailServer: 400 }, isMailServerReady)).toBe(false);
});
