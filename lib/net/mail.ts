import { setTimeout as sleep } from 'node:timers/promises';
import type { Transporter } from 'nodemailer';
import { invalidParameter, permissionDenied, type Refusal, serviceUnavailable } from '../base/errors.ts';
import { describeError, log } from '../base/log.ts';
import { isOutsideBusy, outsideBusy, waitOutside } from '../base/outside.ts';
import { config, fromConfig } from '../settings/config.ts';
import { readSmtpUrl } from '../settings/smtp-url.ts';

/** A plain-text e-mail. */
export type Mail = { to: string; subject: string; text: string; headers?: Record<string, string> };

export const noMail: Refusal = () => permissionDenied('no_email', 'The service does not send e-mail.');

/** Throws 403 if the service does not have a mail server. */
export function requireMail(): void {
  if (config.smtpUrl === '') throw noMail();
}

/**
 * Sends an e-mail. Throws 400 if the server rejects the address, and 503 if the server is out of
 * reach or rejects the e-mail.
 */
export async function sendMail(mail: Mail): Promise<void> {
  requireMail();
  requireSent(await trySendingMail(mail));
}

/** Throws 400 or 503 unless the e-mail was sent. */
export function requireSent(outcome: MailOutcome): void {
  if (outcome === 'busy') throw outsideBusy();
  if (outcome === 'refused') throw invalidParameter('email', 'be an address that accepts e-mail');
  if (outcome !== 'sent') throw serviceUnavailable('The e-mail could not be sent.');
}

/**
 * The outcome of an e-mail. `sent`: the server accepted it. `refused`: it rejected the address.
 * `not sent`: it rejected the e-mail. `out of reach`: the server did not answer, or could not be
 * authenticated. `busy`: too many requests wait for it, so it was not contacted. `unknown`: it may
 * or may not have the e-mail.
 */
export type MailOutcome = 'sent' | 'busy' | 'refused' | 'not sent' | 'out of reach' | 'unknown';

/** Sends an e-mail if there is a mail server. Never throws. */
export async function trySendingMail({ to, ...mail }: Mail): Promise<MailOutcome> {
  const transporter = await connect();
  if (!transporter) return 'out of reach';
  try {
    // An object, because a comma in a string would split it into two addresses.
    const message = { from: config.mailFrom, to: { name: '', address: to }, ...mail };
    await waitOutside('mail server', () => {
      const signal = AbortSignal.timeout(longestMs());
      return transporter.sendMail({ ...message, signal });
    });
    return 'sent';
  } catch (error) {
    // The service is overloaded and did not contact the mail server.
    if (isOutsideBusy(error)) return 'busy';
    const { code, responseCode, command } = error as SmtpError;
    // The error's message is omitted: it may contain the address.
    log('error', 'an e-mail was not sent', { code, response_code: responseCode, command });
    if (isRecipientRefused(error as SmtpError)) return 'refused';
    if (responseCode !== undefined || code === 'EAUTH') return 'not sent';
    return isOutOfReach(error as SmtpError) ? 'out of reach' : 'unknown';
  }
}

/** True if the mail server can be reached and accepts the login. */
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

/** The transport to the mail server; undefined if its address cannot be read. */
async function connect(): Promise<Transporter | undefined> {
  const known = shared();
  try {
    if (!known.transporter) {
      // Most processes send no e-mail.
      const [{ createTransport }, url] = await Promise.all([import('nodemailer'), readSmtpUrl()]);
      known.transporter ??= createTransport({ url, ...timeouts(), disableFileAccess: true, disableUrlAccess: true });
    }
  } catch (error) {
    log('error', 'the address of the mail server could not be read', { error: describeError(error) });
  }
  return known.transporter;
}

const shared = fromConfig((): { transporter?: Transporter } => ({}));

// A permanent failure (RFC 5321, 4.2.1), reported by the server or found here.
const isRecipientRefused = ({ code, command, responseCode = 0 }: SmtpError) =>
  code === 'EENVELOPE' && (command === 'API' || (command === 'RCPT TO' && responseCode >= 500));

// True if the connection failed before the server's greeting or before encryption, so that the
// server has received nothing of the e-mail.
const isOutOfReach = ({ code = '', originalCode = '', syscall, timeoutType = '' }: SmtpError) =>
  syscall === 'connect' ||
  ['EDNS', 'ETLS'].includes(code) ||
  ['CONNECT_TIMEOUT', 'GREETING_TIMEOUT', 'UPGRADE_TIMEOUT'].includes(timeoutType) ||
  // The server's certificate was rejected, e.g. with `CERT_HAS_EXPIRED`.
  /CERT|LEAF_SIGNATURE|WRONG_VERSION/.test(originalCode);

/**
 * The longest time for an e-mail in all. The other timeouts restart with each byte from a slow
 * server.
 */
const longestMs = () => 2.5 * config.patienceMs.mailServer;

// In milliseconds; well below the time limit of a request.
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
