import { hash } from 'node:crypto';
import { preloading } from '../preload.ts';
import { type HangingParty, type Manner, startNameServer, startTcpParty } from './party.ts';

/** The outside parties of a service. */
export const parties = [
  'bot',
  'webhook receiver',
  'push service',
  'identity provider',
  'mail server',
  'object store',
  'name server',
] as const;
export type PartyName = (typeof parties)[number];

/** The file that attackers announce. The object store confirms it, and sends its bytes slowly. */
export const file = { size: 4_096, sha256: hash('sha256', Buffer.alloc(4_096, 'x')) };

/** Parties that all behave alike, and the settings that connect a service to them. */
export type HangingWorld = {
  parties: Record<PartyName, HangingParty>;
  settings: Record<string, string>;
  close: () => Promise<void>;
};

export async function startHangingWorld(manner: Manner): Promise<HangingWorld> {
  const http = () => startTcpParty(manner, endlessJson);
  const [bot, receiver, push, identity, mail, store, names] = await Promise.all([
    http(),
    http(),
    http(),
    http(),
    startTcpParty(manner, endlessReply, true),
    startTcpParty(manner, endlessObject),
    startNameServer(manner),
  ]);
  const at = ({ port }: HangingParty) => `http://127.0.0.1:${port}`;
  return {
    parties: {
      bot,
      'webhook receiver': receiver,
      'push service': push,
      'identity provider': identity,
      'mail server': mail,
      'object store': store,
      'name server': names,
    },
    settings: {
      PUBLIC_URL: 'https://chat.example.org',
      WEBHOOK_HOSTS: `${at(bot)},${at(receiver)}`,
      PUSH_HOSTS: at(push),
      OIDC_ISSUER: at(identity),
      OIDC_CLIENT_ID: 'chat',
      SMTP_URL: `smtp://127.0.0.1:${mail.port}`,
      MAIL_FROM: 'Chat <chat@example.org>',
      FILES: 's3://files',
      FILES_ENDPOINT: at(store),
      AWS_ACCESS_KEY_ID: 'key',
      AWS_SECRET_ACCESS_KEY: 'secret',
      // Sets the name servers of the process and its threads, without changing the machine's.
      ...preloading(`import { setServers } from 'node:dns'; setServers(['127.0.0.1:${names.port}']);`),
    },
    close: async () => {
      await Promise.all([bot, receiver, push, identity, mail, store, names].map((party) => party.close()));
    },
  };
}

const endlessJson = () => ({
  beginning: Buffer.from('HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 60000\r\n\r\n{"text": "'),
  rest: Buffer.from('a'),
});

/** A mail server that greets, then responds to a command with endless lines (RFC 5321, 4.2.1). */
const endlessReply = (request: Buffer) =>
  request.length === 0
    ? { beginning: Buffer.from('220 mail.example.org\r\n'), rest: Buffer.alloc(0) }
    : { beginning: Buffer.alloc(0), rest: Buffer.from('250-mail.example.org\r\n') };

/**
 * An object store that responds to HEAD completely, so that the service requests the bytes. These
 * arrive slowly.
 */
function endlessObject(request: Buffer) {
  const checksum = Buffer.from(file.sha256, 'hex').toString('base64');
  const head = `HTTP/1.1 200 OK\r\nContent-Length: ${file.size}\r\nx-amz-checksum-sha256: ${checksum}\r\n\r\n`;
  const isHead = request.subarray(0, 5).toString() === 'HEAD ';
  return { beginning: Buffer.from(head), rest: Buffer.from(isHead ? '' : 'x') };
}
