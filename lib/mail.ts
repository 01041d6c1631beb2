import { createTransport, type Transporter } from 'nodemailer';
import { config } from './config.ts';
import { invalidParameter, permissionDenied, type Refusal, serviceUnavailable } from './errors.ts';
import { log } from './log.ts';
import { smtpUrl } from './smtp-url.ts';

/** An e-mail of plain text. */
export type Mail = { to: string; subject: string; text: string };

export const noMail: Refusal = () => permissionDenied('no_email', 'The service sends no e-mail.');

/** Refuses, with 403, what needs e-mail where the service has no mail server. */
export function requireMail(): void {
  if (smtpUrl === '') throw noMail();
}

/** Sends an e-mail: 400 when the server does not take the address, 503 when it is out of reach or refuses the e-mail. */
export async function sendMail({ to, subject, text }: Mail): Promise<void> {
  requireMail();
  transporter ??= createTransport({ url: smtpUrl, ...patience, disableFileAccess: true, disableUrlAccess: true });
  try {
    // An object, because in a text a comma would make two addresses of one.
    await transporter.sendMail({ from: config.mailFrom, to: { name: '', address: to }, subject, text });
  } catch (error) {
    const { code, responseCode, command } = error as SmtpError;
    // Not its message, which may have the address.
    log('error', 'an e-mail was not sent', { code, response_code: responseCode, command });
    if (isRecipientRefused(error as SmtpError)) throw invalidParameter('email', 'be an address that takes e-mail');
    throw serviceUnavailable('The e-mail could not be sent.');
  }
}

// For good (RFC 5321, 4.2.1), by the server or already here.
const isRecipientRefused = ({ code, command, responseCode = 0 }: SmtpError) =>
  code === 'EENVELOPE' && (command === 'API' || (command === 'RCPT TO' && responseCode >= 500));

// In milliseconds, well under the time of a request.
const patience = { connectionTimeout: 3_000, greetingTimeout: 3_000, socketTimeout: 5_000, dnsTimeout: 3_000 };

type SmtpError = { code?: string; responseCode?: number; command?: string };

let transporter: Transporter | undefined;
