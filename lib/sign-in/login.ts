import { createHash } from 'node:crypto';
import { type Refusal, unauthenticated } from '../base/errors.ts';
import { describeError, log } from '../base/log.ts';
import { type UserDocument, users } from '../collections/accounts/users.ts';
import { beginLogin, endOnFailure, type LoginAttempt } from '../credentials/login-limits.ts';
import { requirePasswords } from '../credentials/password-sign-in.ts';
import { hashPassword, isCheap, verifyPassword } from '../credentials/passwords.ts';
import { createSession, type NewSession } from '../credentials/sessions.ts';
import { emailKey } from '../identity/account-names.ts';
import { shownUser } from '../identity/users.ts';
import { useSecondFactor, type WithSecondFactor, wrongCode } from '../second-factor/codes.ts';
import { isCalled } from './login-names.ts';

export const wrongLogin: Refusal = () => unauthenticated('The username or password is incorrect.');
/**
 * 401: the password is correct, and a code of the second factor is required. The client repeats the
 * request with the code.
 */
export const secondFactorRequired: Refusal = () =>
  unauthenticated('A code of the second factor is required.', 'second_factor_required');
export const wrongSecondFactor: Refusal = () => unauthenticated(wrongCode, 'wrong_second_factor');

/** A login attempt: a username or an e-mail address, and its source. */
export type Login = {
  name: string;
  password: string;
  /** The code of the second factor, if the account has one. */
  code?: string | undefined;
  source: string;
  agent: string | undefined;
};

/**
 * Starts a session if the password is correct for the account with this name or e-mail address. An
 * unknown name, a wrong password and a deactivated account are indistinguishable: the calls, the
 * computed hash and the response are the same. A required second factor is only revealed after the
 * correct password.
 */
export async function logIn({ name, password, code, source, agent }: Login): Promise<NewSession> {
  requirePasswords();
  const user = await users.findOne(isCalled(name));
  const hash = user?.is_active && !user.is_bot ? user.password_hash : undefined;
  const attempt = await beginLogin(user?._id.toHexString() ?? emailKey(name), {
    source,
    agent,
    isFirstStep: user?.second_factor !== undefined && code === undefined,
  });
  const isRight = await endOnFailure(verifyPassword(password, hash), attempt.unchecked);
  if (!user || !isRight) {
    await attempt.failed();
    log('info', 'security', { event: 'login failed', whom: accountHash(name), source });
    throw wrongLogin();
  }
  const { second_factor } = user;
  if (second_factor) await proveSecondFactor({ ...user, second_factor }, code, attempt, source);
  const [session] = await Promise.all([
    createSession(user, agent, {}, wrongLogin),
    attempt.succeeded(),
    renewHash(user, password),
  ]);
  return { ...session, user: shownUser.show(user) };
}

// Hashed, because people sometimes type their password as the name.
const accountHash = (name: string) => createHash('sha256').update(emailKey(name)).digest('base64url').slice(0, 16);

/**
 * Requires a code of the second factor after the correct password. A missing code does not count as
 * an attempt: the client asks for it. Until the code is correct, the address does not count as the
 * owner's.
 */
async function proveSecondFactor(user: WithSecondFactor, code: string | undefined, attempt: LoginAttempt, source: string) {
  if (code === undefined) {
    await attempt.withdrawn();
    throw secondFactorRequired();
  }
  await attempt.countCode();
  const isRight = await endOnFailure(useSecondFactor(user, code), attempt.withdrawn);
  if (isRight) return;
  await attempt.failed();
  log('info', 'security', { event: 'wrong second factor', whom: user._id.toHexString(), source });
  throw wrongSecondFactor();
}

/**
 * Renews a hash of an earlier, lower cost, now that the password is known. If it fails, the next
 * login tries again.
 */
async function renewHash({ _id, password_hash }: Pick<UserDocument, '_id' | 'password_hash'>, password: string): Promise<void> {
  if (password_hash === undefined || !isCheap(password_hash)) return;
  try {
    await users.updateOne({ _id, password_hash }, { $set: { password_hash: await hashPassword(password) } });
  } catch (error) {
    log('info', 'the hash of a password was not renewed', { error: describeError(error) });
  }
}
