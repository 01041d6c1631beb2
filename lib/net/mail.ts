import { setTimeout as sleep } from 'node:timers/promises';
import { createTransport, type Transporter } from 'nodemailer';
import { HttpError, invalidParameter, permissionDenied, type Refusal, serviceUnavailable } from '../base/errors.ts';
import { describeError, log } from '../base/log.ts';
import { waitOutside } from '../base/outside.ts';
import { config, fromConfig } from '../settings/config.ts';
import { readSmtpUrl } from '../settings/smtp-url.ts';

/** An e-mail of plain text. */
export type Mail = { to: string; subject: string; text: string; headers?: Record<string, string> };

export const noMail: Refusal = () => permissionDenied('no_email', 'The service sends no e-mail.');

/** Refuses, with 403, what needs e-mail where the service has no mail server. */
export function requireMail(): void {
  if (config.smtpUrl === '') throw noMail();
}

/** Sends an e-mail: 400 when the server does not take the address, 503 when it is out of reach or refuses the e-mail. */
export async function sendMail(mail: Mail): Promise<void> {
  requireMail();
  requireSent(await trySendingMail(mail));
}

/** Refuses, with 400 or 503, an e-mail of which this became. */
export function requireSent(outcome: MailOutcome): void {
  if (outcome === 'refused') throw invalidParameter('email', 'be an address that takes e-mail');
  if (outcome !== 'sent') throw serviceUnavailable('The e-mail could not be sent.');
}

/**
 * What became of an e-mail: the server has it, does not take the address, has said that it does not have it, was not
 * asked because it is not in reach or can't be trusted, or nobody knows whether it has it.
 */
export type MailOutcome = 'sent' | 'refused' | 'not sent' | 'out of reach' | 'unknown';

/** Sends an e-mail, where there is a mail server. Never fails. */
export async function trySendingMail({ to, ...mail }: Mail): Promise<MailOutcome> {
  const transporter = await connect();
  if (!transporter) return 'out of reach';
  try {
    // An object, because in a text a comma would make two addresses of one.
    const message = { from: config.mailFrom, to: { name: '', address: to }, ...mail };
    await waitOutside('mail server', () => {
      const signal = AbortSignal.timeout(longestMs());
      return transporter.sendMail({ ...message, signal });
    });
    return 'sent';
  } catch (error) {
    // The service is busy, and the mail server was not asked.
    if (error instanceof HttpError) return 'out of reach';
    const { code, responseCode, command } = error as SmtpError;
    // Not its message, which may have the address.
    log('error', 'an e-mail was not sent', { code, response_code: responseCode, command });
    if (isRecipientRefused(error as SmtpError)) return 'refused';
    if (responseCode !== undefined || code === 'EAUTH') return 'not sent';
    return isOutOfReach(error as SmtpError) ? 'out of reach' : 'unknown';
  }
}

/** Whether the mail server is in reach and takes the login. */
export async function isMailServerReady(): Promise<boolean> {
  const transporter = await connect();
  if (!transporter) return false;
  try {
    return await Promise.race([transporter.verify(), sleep(longestMs(), false, { ref: false })]);
  } catch (error) {
    const { code, responseCode, command } = error as SmtpError;
    log('error', 'the mail server is out of reach', { code, response_code: responseCode, command });
    return false;
  }
}

/** What sends e-mails; undefined while nobody knows by which server. */
async function connect(): Promise<Transporter | undefined> {
  const known = shared();
  try {
    known.transporter ??= createTransport({
      url: await readSmtpUrl(),
      ...timeouts(),
      disableFileAccess: true,
      disableUrlAccess: true,
    });
  } catch (error) {
    log('error', 'the address of the mail server could not be read', { error: describeError(error) });
  }
  return known.transporter;
}

const shared = fromConfig((): { transporter?: Transporter } => ({}));

// For good (RFC 5321, 4.2.1), by the server or already here.
const isRecipientRefused = ({ code, command, responseCode = 0 }: SmtpError) =>
  code === 'EENVELOPE' && (command === 'API' || (command === 'RCPT TO' && responseCode >= 500));

// Before the server has greeted, or the connection is encrypted: it has no part of the e-mail.
const isOutOfReach = ({ code = '', originalCode = '', syscall, timeoutType = '' }: SmtpError) =>
  syscall === 'connect' ||
  ['EDNS', 'ETLS'].includes(code) ||
  ['CONNECT_TIMEOUT', 'GREETING_TIMEOUT', 'UPGRADE_TIMEOUT'].includes(timeoutType) ||
  // The server's certificate, such as `CERT_HAS_EXPIRED`.
  /CERT|LEAF_SIGNATURE|WRONG_VERSION/.test(originalCode);

/** How long an e-mail may take in all: the other times begin again with each byte that a slow server sends. */
const longestMs = () => 2.5 * config.patienceMs.mailServer;

// In milliseconds, well under the time of a request.
function timeouts() {
  const { mailServer } = config.patienceMs;
  return {
    connectionTimeout: mailServer,
    greetingTimeout: mailServer,
    socketTimeout: mailServer + 2_000,
    dnsTimeout: mailServer,
  };
}

type SmtpError = {
  code?: string;
  originalCode?: string;
  responseCode?: number;
  command?: string;
  syscall?: string;
  timeoutType?: string;
};
