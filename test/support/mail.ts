import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';

/** An e-mail that the service has sent. */
export type ReceivedMail = { subject: string; text: string; code: string | undefined };

const received = new Map<string, ReceivedMail[]>();

/**
 * The e-mails to an address, the latest last. The service waits for the mail server, so they have
 * arrived before its response.
 */
export const mailsTo = (address: string): ReceivedMail[] => received.get(address) ?? [];

/**
 * Listens for e-mails and returns the address for `SMTP_URL`. The mail server starts with the first
 * connection.
 */
export async function listenForMail(): Promise<string> {
  let starting: Promise<number> | undefined;
  const server = createServer(async (socket) => {
    starting ??= startMailServer();
    const behind = connect(await starting, '127.0.0.1');
    socket.pipe(behind).pipe(socket);
    for (const end of [socket, behind]) end.on('error', () => end.destroy());
  });
  server.listen(0, '127.0.0.1').unref();
  await once(server, 'listening');
  return `smtp://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function startMailServer(): Promise<number> {
  const harness = await import('../../tools/harness/mail-server.ts');
  const { url } = await harness.startMailServer((to, source) => {
    for (const address of to) received.set(address, [...mailsTo(address), readMail(source)]);
  });
  return Number(new URL(url).port);
}
/** Parses a plain-text e-mail. */
export function readMail(source: string): ReceivedMail {
  const end = source.indexOf('\r\n\r\n');
  const [head, body] = [source.slice(0, end), source.slice(end + 4)];
  const text = /^content-transfer-encoding: quoted-printable/im.test(head) ? decode(body) : body;
  return {
    subject: /^subject: (.*)/im.exec(head)?.[1]?.trim() ?? '',
    text: text.replaceAll('\r\n', '\n'),
    code: /\b[a-z0-9]{32}\b/.exec(text)?.[0],
  };
}

/** The headers of an e-mail, by lowercase name. */
export const mailHeaders = (source: string): Record<string, string> =>
  Object.fromEntries(
    source
      .slice(0, source.indexOf('\r\n\r\n'))
      .replaceAll(/\r\n[ \t]+/g, ' ')
      .split('\r\n')
      .map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]),
  );

// Quoted-printable (RFC 2045, 6.7).
const decode = (body: string) =>
  body.replaceAll('=\r\n', '').replaceAll(/=([0-9A-F]{2})/g, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)));
