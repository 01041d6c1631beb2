import type { ObjectId } from 'mongodb';
import { about, flag } from '../api/parameters.ts';
import { users } from '../collections/accounts/users.ts';
import { noSuchUser } from '../identity/users.ts';

export const holdParameter = about(
  "Whether the account's messages in all rooms are kept however old they are, for example for a court.",
  flag,
);

/**
 * Puts an account on hold, so that its messages do not expire, or releases it; 404 if it does not
 * exist. The hold outlives the account: a deleted account is released by its id.
 */
export async function holdUser(_id: ObjectId, is_held: boolean): Promise<void> {
  const change = is_held ? { $set: { is_held: true as const } } : { $unset: { is_held: '' as const } };
  const { matchedCount } = await users.unscoped.updateOne({ _id, webhook_of: { $exists: false } }, change);
  if (matchedCount === 0) throw noSuchUser();
}
