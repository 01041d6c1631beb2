import type { ObjectId } from 'mongodb';
import { about, integer, orNone } from '../api/parameters.ts';
import { users } from '../collections/accounts/users.ts';
import { noSuchUser, shownUser, type User } from '../identity/users.ts';

/** The allowed write rates of an account, in messages and changes per second. */
export const ownRate = integer(1, 10_000);

export const rateParameter = about(
  "The account's sustained rate of messages and changes per second, with bursts of five times as many; null for the default.",
  orNone(ownRate),
);

/**
 * Sets the write rate of an account, or null for the default; 404 if the account does not exist.
 */
export async function setWriteRate(_id: ObjectId, perSecond: number | null): Promise<User> {
  const update = perSecond === null ? { $unset: { writes_per_second: '' as const } } : { $set: { writes_per_second: perSecond } };
  const changed = await users.findOneAndUpdate({ _id }, update, { returnDocument: 'after' });
  if (!changed) throw noSuchUser();
  return shownUser.show(changed);
}
