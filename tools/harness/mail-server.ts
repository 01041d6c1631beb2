import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { SMTPServer } from 'smtp-server';

/** A local mail server. `url` is for `SMTP_URL`. */
type MailServer = { url: string; close: () => Promise<void> };

/**
 * Starts a mail server on a free port. It accepts every e-mail, and passes recipients and source to
 * `receive`.
 */
export async function startMailServer(
  receive: (to: string[], source: string) => void | Promise<void>,
  options: ConstructorParameters<typeof SMTPServer>[0] = {},
): Promise<MailServer> {
  const server = new SMTPServer({
    authOptional: true,
    hideSTARTTLS: true,
    disableReverseLookup: true,
    onData: (stream, { envelope }, done) => {
      const to = envelope.rcptTo.map(({ address }) => address);
      text(stream)
        .then((source) => receive(to, source))
        .then(() => done(), done);
    },
    ...options,
  });
  const listening = server.listen(0, '127.0.0.1');
  await once(listening, 'listening');
  const { port } = listening.address() as AddressInfo;
  return { url: `smtp://127.0.0.1:${port}`, close: () => new Promise((resolve) => server.close(() => resolve())) };
}
