import { startMailServer } from '../../tools/harness/mail-server.ts';

/** An e-mail that the service has sent. */
export type ReceivedMail = { subject: string; text: string; code: string | undefined };

const received = new Map<string, ReceivedMail[]>();

/**
 * The e-mails to an address, the latest last. The service waits for the mail server, so they have
 * arrived before its response.
 */
export const mailsTo = (address: string): ReceivedMail[] => received.get(address) ?? [];

/**
 * Starts a mail server and returns the address for `SMTP_URL`. The server must run before the first
 * e-mail: on a busy machine, its modules can take longer to load than the service waits.
 */
export async function listenForMail(): Promise<string> {
  const { url } = await startMailServer((to, source) => {
    for (const address of to) received.set(address, [...mailsTo(address), readMail(source)]);
  });
  return url;
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
