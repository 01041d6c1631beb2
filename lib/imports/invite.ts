import { codes } from '../collections/accounts/codes.ts';
import { unexpired } from '../collections/accounts/tokens.ts';
import { type UserDocument, users } from '../collections/accounts/users.ts';
import type { ImportDocument } from '../collections/service/imports.ts';
import { createCode } from '../credentials/codes.ts';
import { trySendingMail } from '../net/mail.ts';
import { config } from '../settings/config.ts';
import { passwordPath } from '../sign-in/password-codes.ts';

/*
 * Links that give the people of an import access to their accounts, written to a file or sent by
 * e-mail.
 */

/** A person who has not used their imported account, and the link that opens it. */
export type Invitee = { username: string; name: string; email: string; link: string; expires_at: string };

/** The number of people who got a link, and of those left out, by reason. */
export type InviteReport = { invited: number; leftOut: Record<string, number> };

type InviteOptions = {
  days: number;
  /** Receives a link; without it, links are sent by e-mail. */
  write?: ((person: Invitee) => void) | undefined;
  /** If true, people get another e-mail although their last link is still valid. */
  sendsAgain: boolean;
  progress: (done: number, all: number) => void;
};

/** Creates a link for every unclaimed account of an import. */
export async function inviteImported({ _id }: ImportDocument, options: InviteOptions): Promise<InviteReport> {
  const { write, progress } = options;
  const report: InviteReport = { invited: 0, leftOut: {} };
  const people = await users
    .find<Person>({ 'imported.import': _id, 'imported.is_unclaimed': true }, { projection: fields, sort: { username: 1 } })
    .toArray();
  for (const [index, person] of people.entries()) {
    const refusal = person.is_bot ? 'bots' : person.is_active ? undefined : 'deactivated people and guests';
    const left = refusal ?? (write ? await writeLink(person, options, write) : await sendLink(person, options));
    if (left === undefined) report.invited++;
    else report.leftOut[left] = (report.leftOut[left] ?? 0) + 1;
    progress(index + 1, people.length);
  }
  return report;
}

type Person = Pick<UserDocument, '_id' | 'username' | 'name' | 'email' | 'is_active' | 'is_bot' | 'session_generation'>;
const fields = { username: 1, name: 1, email: 1, is_active: 1, is_bot: 1, session_generation: 1 };

async function makeLink({ _id, email = '', session_generation: generation }: Person, days: number, isMailed: boolean) {
  const account = { user: _id, generation };
  const code = { email, account, is_for_import: true as const, ...(isMailed && { is_mailed: true as const }) };
  const { code: secret, expires_at } = await createCode(code, days * 86_400_000);
  return { link: `${config.publicUrl}${passwordPath(secret)}`, expires_at: expires_at.$date };
}

async function writeLink(person: Person, { days }: InviteOptions, write: (person: Invitee) => void): Promise<undefined> {
  const { username, name = '', email = '' } = person;
  write({ username, name, email: isPlaceholder(email) ? '' : email, ...(await makeLink(person, days, false)) });
}

/**
 * Sends a link; returns the reason if it was not sent. Throws if the mail server is unreachable:
 * the next run continues.
 */
async function sendLink(person: Person, { days, sendsAgain }: InviteOptions): Promise<string | undefined> {
  const { _id, email = '', username, session_generation: generation } = person;
  if (isPlaceholder(email)) return 'people without an e-mail address';
  const sent = { 'account.user': _id, 'account.generation': generation, is_mailed: true as const };
  if (!sendsAgain && (await codes.findOne({ ...sent, ...unexpired }, { projection: { _id: 1 } })))
    return 'people who have a valid link';
  const { link } = await makeLink(person, days, true);
  const outcome = await trySendingMail({ to: email, ...mail(username, link, days) });
  if (outcome === 'sent' || outcome === 'unknown') return undefined;
  await codes.deleteMany(sent);
  if (outcome === 'refused') return 'people whose address the mail server refuses';
  throw new Error('The mail server is out of reach, or refuses e-mails. Run the command again to go on.');
}

const isPlaceholder = (email: string): boolean => email === '' || email.endsWith('.invalid');

function mail(username: string, link: string, days: number) {
  const { brandName, publicUrl, identityProviders, takesPasswords } = config;
  const providers = identityProviders.map(({ name }) => name).join(' or ');
  return {
    subject: `Your account for ${brandName}`,
    text: `Your chats are now at ${brandName}, and your account is waiting for you: ${username}.

To open it, follow this link within ${days} ${days === 1 ? 'day' : 'days'} and ${
      takesPasswords ? 'set a password' : `sign in with ${providers}`
    }:

${link}

After that, you sign in at ${publicUrl}/login
`,
  };
}
