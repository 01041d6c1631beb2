import { randomBytes, randomInt } from 'node:crypto';
import { ObjectId } from 'mongodb';
import { expect } from 'vitest';
import { createUser } from '../../lib/accounts/accounts.ts';
import { users } from '../../lib/collections/accounts/users.ts';
import { hashPassword } from '../../lib/credentials/passwords.ts';
import { createToken } from '../../lib/identity/api-tokens.ts';
import { config } from '../../lib/settings/config.ts';
import { anyDate } from './responses.ts';
import type { Call } from './transports.ts';

/** An account created for one test, with its own token. */
export type Account = { id: string; username: string; email: string; password: string; token: string };

const hashes = new Map<string, Promise<string>>();

/** Hashes a password. Accounts with the same one share its hash: thousands take seconds. */
function hashOnce(password: string): Promise<string> {
  const key = `${config.bcryptCost} ${password}`;
  const hash = hashes.get(key) ?? hashPassword(password);
  hashes.set(key, hash);
  return hash;
}

/** Creates an account as the command line does. */
export async function anAccount({
  isAdmin = false,
  password = 'correct horse',
  username = aName(),
  name = '',
} = {}): Promise<Account> {
  const email = `${username}@example.org`;
  const { $oid: id } = (await createUser({ username, name, email, is_admin: isAdmin }))._id;
  const _id = new ObjectId(id);
  const setPassword = async () => users.updateOne({ _id }, { $set: { password_hash: await hashOnce(password) } });
  const [{ token }] = await Promise.all([createToken(_id, 'test'), setPassword()]);
  return { id, username, email, password, token };
}

/** Creates an administrator's account. */
export const anAdmin = () => anAccount({ isAdmin: true });

/** An account that `anAccount` has made, as the API shows it to its user. */
export const asSelf = ({ id, username, email }: Pick<Account, 'id' | 'username' | 'email'>) => ({
  _id: { $oid: id },
  username,
  email,
  is_admin: false,
  is_active: true,
  created_at: anyDate,
  shows_presence: true,
});

/** A username that nobody has yet. */
export const aName = () => `user-${randomBytes(8).toString('hex')}`;

/** A loopback address that no other test calls from. */
export const anAddress = () => `127.${1 + randomInt(254)}.${randomInt(256)}.${1 + randomInt(254)}`;

/** Logs in with a password, by default from an address that was never used. */
export const logIn = (call: Call, username: string, password: string, source = anAddress()) =>
  call('POST', '/api/sessions', { body: { username, password }, source });

/** Logs in as an account and returns the session's token. */
export async function aSession(call: Call, { username, password }: Account): Promise<string> {
  const { status, body } = await logIn(call, username, password);
  expect(status).toBe(201);
  return (body as { token: string }).token;
}
