import type { ObjectId } from 'mongodb';
import { notAuthentificated, permissionDenied } from '../errors.ts';
import { emailKey, showUser, type User, users } from '../identity/users.ts';
import { beginAttempt } from './login-limits.ts';
import { hashPassword, isCheap, verifyPassword } from './passwords.ts';
import { createSession, type NewSession } from './sessions.ts';

/**
 * Begins a session for who knows the password of the account with this name or e-mail address. An unknown name, a wrong password and
 * a deactivated account are one and the same to who asks: the same calls, the same hash computed, the same words.
 */
export async function logIn({
  name,
  password,
  source,
  agent,
}: {
  name: string;
  password: string;
  source: string;
  agent: string | undefined;
}): Promise<NewSession & { user: User }> {
  const user = await users.findOne(name.includes('@') ? { email_key: emailKey(name) } : { username: name.toLowerCase() });
  const hash = user?.is_active ? user.password_hash : undefined;
  const attempt = await beginAttempt(user?._id.toHexString() ?? emailKey(name), source);
  const isRight = await verifyPassword(password, hash);
  if (!user || !isRight) {
    await attempt.failed();
    throw notAuthentificated('The username or password is incorrect.');
  }
  const [session] = await Promise.all([createSession(user, agent), attempt.succeeded(), renewHash(user, password)]);
  return { ...session, user: showUser(user) };
}

/** Makes sure that who calls knows the password as well: 403 if not. Guessing here is as slow as at the login. */
export async function confirmPassword(id: ObjectId, password: string, source: string): Promise<void> {
  const user = await users.findOne({ _id: id }, { projection: { password_hash: 1 } });
  const attempt = await beginAttempt(id.toHexString(), source);
  if (await verifyPassword(password, user?.password_hash)) return attempt.succeeded();
  await attempt.failed();
  throw permissionDenied('The current password is incorrect.');
}

/** A hash that was made at a lower cost than today's is made anew, now that the password is known. */
async function renewHash({ _id, password_hash }: { _id: ObjectId; password_hash: string }, password: string): Promise<void> {
  if (!isCheap(password_hash)) return;
  await users.updateOne({ _id, password_hash }, { $set: { password_hash: await hashPassword(password) } });
}
