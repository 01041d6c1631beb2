import type { Filter } from 'mongodb';
import { conflict, type Refusal } from '../base/errors.ts';
import { type UserDocument, users } from '../collections/accounts/users.ts';
import { duplicateIn } from '../database/failures.ts';
import { emailKeys } from './account-names.ts';

export const usernameTaken: Refusal = () => conflict('username_taken', 'The username is already in use.');
export const emailTaken: Refusal = () => conflict('email_taken', 'The e-mail address is already in use.');

/**
 * Refuses a name or an address that is taken, before a password is hashed in vain. The unique
 * indexes decide between concurrent requests.
 */
export async function requireFree(wanted: string, email?: string): Promise<void> {
  // Two queries: the embedded database does not use indexes for `$or`, and would read every
  // account.
  const isTaken = async (filter: Filter<UserDocument>) => (await users.findOne(filter, { projection: { _id: 1 } })) !== null;
  const [name, address] = await Promise.all([
    isTaken({ username: wanted }),
    email !== undefined && isTaken({ email_key: { $in: emailKeys(email) } }),
  ]);
  if (name) throw usernameTaken();
  if (address) throw emailTaken();
}

/** The result of a write; 409 if its name or address is taken. */
export async function orConflict<T>(write: Promise<T>): Promise<T> {
  try {
    return await write;
  } catch (error) {
    const index = duplicateIn(error);
    if (index === 'username') throw usernameTaken();
    if (index === 'email') throw emailTaken();
    throw error;
  }
}
