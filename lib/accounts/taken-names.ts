import { users } from '../collections/users.ts';
import { duplicateIn } from '../database/failures.ts';
import { conflict, type Refusal } from '../errors.ts';
import { emailKeys } from '../identity/users.ts';

export const usernameTaken: Refusal = () => conflict('username_taken', 'The username is already in use.');
export const emailTaken: Refusal = () => conflict('email_taken', 'The e-mail address is already in use.');

/**
 * Refuses a name or an address that is taken before a password is hashed for it; the indexes decide when two ask at
 * the same time.
 */
export async function requireFree(wanted: string, email?: string): Promise<void> {
  const addresses = email === undefined ? [] : [{ email_key: { $in: emailKeys(email) } }];
  const taken = await users.find({ $or: [{ username: wanted }, ...addresses] }, { projection: { username: 1 } }).toArray();
  if (taken.some(({ username }) => username === wanted)) throw usernameTaken();
  if (taken.length > 0) throw emailTaken();
}

/** The outcome of a write, or 409 for a name or an address that is taken. */
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
