import { createHash } from 'node:crypto';
import { blankCharacters, normaliseCredential } from '../../packages/client/src/texts.ts';
import { dateSchema } from '../api/extended-json.ts';
import { about, anyText, optional, type Parameter } from '../api/parameters.ts';
import { described, record, type Shown } from '../api/schema.ts';
import { type UserDocument, users } from '../collections/users.ts';
import { missingParameter, permissionDenied, type Refusal, unauthenticated } from '../errors.ts';
import type { Caller } from '../identity/caller.ts';
import { aNewToken } from '../identity/tokens.ts';
import { emailKey, emailKeys, shownUser } from '../identity/users.ts';
import { log } from '../log.ts';
import { requireFreshSession } from './fresh-sessions.ts';
import { beginAttempt, beginConfirmation } from './login-limits.ts';
import { requirePasswords } from './password-sign-in.ts';
import { hashPassword, isCheap, verifyPassword } from './passwords.ts';
import { createSession, type WithToken } from './sessions.ts';

/** A session that has just begun; in a cookie it has no token to show. */
export const newSessionSchema = record(
  'NewSession',
  {
    token: aNewToken,
    expires_at: described('The time of expiry.', dateSchema),
    user: described('The account of the session.', shownUser.schema),
  },
  ['token'],
);

export const wrongLogin: Refusal = () => unauthenticated('The username or password is incorrect.');
export const wrongCurrentPassword: Refusal = () =>
  permissionDenied('wrong_current_password', 'The current password is incorrect.');

/** The password of the caller's account, where a token alone does not do. */
export const currentPassword = about('The current password of the caller, as proof of identity.', optional(anyText));

/** The user who logs in, by username, also as a mention, or by e-mail address. */
export const loginName: Parameter<string> = {
  read: (sent) => anyText.read(typeof sent === 'string' ? normaliseCredential(sent).replace(/^@(?=.)/, '') : sent),
  about: 'The username or the e-mail address of the account.',
  rule: anyText.rule,
  schema: { type: 'string', pattern: `[^${blankCharacters}]` },
};

/** An attempt to log in: a username or an e-mail address, and from where it comes. */
export type Login = { name: string; password: string; source: string; agent: string | undefined };

/**
 * Begins a session for someone who knows the password of the account with this name or e-mail address. An unknown
 * name, a wrong password and a deactivated account look the same from outside: they cause the same calls, the same
 * computed hash and the same words.
 */
export async function logIn({ name, password, source, agent }: Login): Promise<WithToken<Shown<typeof newSessionSchema>>> {
  requirePasswords();
  const user = await users.findOne(
    name.includes('@') ? { email_key: { $in: emailKeys(name) } } : { username: name.toLowerCase() },
  );
  const hash = user?.is_active ? user.password_hash : undefined;
  const attempt = await beginAttempt(user?._id.toHexString() ?? emailKey(name), { source, agent });
  const isRight = await verifyPassword(password, hash);
  if (!user || !isRight) {
    await attempt.failed();
    log('info', 'security', { event: 'login failed', whom: accountHash(name), source });
    throw wrongLogin();
  }
  const [session] = await Promise.all([createSession(user, agent), attempt.succeeded(), renewHash(user, password)]);
  return { ...session, user: shownUser.show(user) };
}

/**
 * Requires that the caller knows the account's password as well: 403 if not. Guessing is as slow here as at the login.
 * For an account without a password, a session that has just begun is the proof.
 */
export async function confirmPassword(password: string, caller: Caller): Promise<void> {
  const {
    user: { _id },
    token,
  } = caller;
  const user = await users.findOne({ _id }, { projection: { password_hash: 1 } });
  if (user && user.password_hash === undefined) return requireFreshSession(caller);
  const attempt = await beginConfirmation(_id, token);
  if (await verifyPassword(password, user?.password_hash)) return attempt.succeeded();
  await attempt.failed();
  log('info', 'security', { event: 'wrong current password', by: _id.toHexString() });
  throw wrongCurrentPassword();
}

/** Requires the caller's current password: 400 without it, unless the account has none, and 403 when it is wrong. */
export async function requireCurrentPassword(password: string | undefined, caller: Caller): Promise<void> {
  if (password !== undefined) return confirmPassword(password, caller);
  if (await hasPassword(caller)) throw missingParameter('current_password');
  await requireFreshSession(caller);
}

/** Whether the caller's account has a password. */
export const hasPassword = async ({ user: { _id } }: Caller): Promise<boolean> =>
  (await users.findOne({ _id, password_hash: { $exists: true } }, { projection: { _id: 1 } })) !== null;

// People now and then type their password for a name.
const accountHash = (name: string) => createHash('sha256').update(emailKey(name)).digest('base64url').slice(0, 16);

/** Renews a hash that was computed at a lower cost than today's, now that the password is known. */
async function renewHash({ _id, password_hash }: Pick<UserDocument, '_id' | 'password_hash'>, password: string): Promise<void> {
  if (password_hash === undefined || !isCheap(password_hash)) return;
  await users.updateOne({ _id, password_hash }, { $set: { password_hash: await hashPassword(password) } });
}
