import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { inject } from 'vitest';
import { mailFile } from './mail-file.ts';

/** An e-mail that the service has sent. */
export type ReceivedMail = { subject: string; text: string; code: string | undefined };

/** The e-mails to an address, the latest last. The service waits until the mail server has them: they are there with its answer. */
export function mailsTo(address: string): ReceivedMail[] {
  const directory = inject('mailDir');
  return readdirSync(directory)
    .filter((file) => file.startsWith(mailFile(address)))
    .map((file) => join(directory, file))
    .toSorted((one, other) => statSync(one).mtimeMs - statSync(other).mtimeMs)
    .map((path) => readMail(readFileSync(path, 'utf8')));
}

/** Reads an e-mail of plain text. */
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

/** The headers of an e-mail, by their names in lower case. */
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
