import type { UpdateFilter } from 'mongodb';
import { type UserDocument, users } from '../collections/accounts/users.ts';
import { duplicateIn } from '../database/failures.ts';
import { emailKey } from '../identity/account-names.ts';
import { emailBeginnings, nameBeginnings } from '../identity/beginnings.ts';
import type { Tally } from './tally.ts';

/*
 * Updates accounts that an earlier run has created. An unclaimed account follows the source: it is
 * deactivated with the account there, and gets the name and address that were missing. A claimed
 * account belongs to its owner.
 */

/** An account that an earlier run has created; without a username if it was deleted here. */
export type KnownAccount = Partial<Pick<UserDocument, 'username' | 'name' | 'email' | 'imported'>> &
  Pick<UserDocument, '_id' | 'is_active'>;

type WantedAccount = {
  name: string | undefined;
  email: string | undefined;
  isActive: boolean;
  /** The username that the operator has chosen, and the candidates for an account without one. */
  chosen: string | undefined;
  usernames: Iterable<string>;
};

/** Updates an account; returns the result. */
export async function refreshAccount(
  account: KnownAccount,
  wanted: WantedAccount,
  { tally, isDryRun }: { tally: Tally; isDryRun: boolean },
): Promise<Pick<KnownAccount, 'username' | 'is_active'>> {
  const { imported, username } = account;
  if (!imported || username === undefined) return account;
  const { isActive } = wanted;
  if (!imported.is_unclaimed) {
    if (imported.was_active && !isActive) tally.note(stillUsed);
    return account;
  }
  const set = changesOf(account, wanted);
  const isChanged = imported.was_active !== isActive;
  if (isChanged) tally.note(isActive ? reactivated : deactivated);
  const isListed = imported.is_unlisted === true;
  const renames = (isListed || wanted.chosen !== undefined) && wanted.chosen !== username;
  if (isListed) tally.note('people whom an earlier archive had named and not listed');
  if (isDryRun) return { username, is_active: isChanged ? isActive : account.is_active };
  const update: UpdateFilter<Omit<UserDocument, '_id'>> = {
    $set: { ...set, ...(isChanged && { is_active: isActive, 'imported.was_active': isActive }) },
    $unset: { 'imported.is_unlisted': '' },
    // Makes the account's existing codes invalid.
    $inc: { session_generation: isChanged ? 1 : 0 },
  };
  const changed = await applyTo(account, update);
  const called = renames ? await rename(account, wanted) : username;
  return { username: called, is_active: changed?.is_active ?? account.is_active };
}

const stillUsed = 'people deactivated in the source who use their accounts here, which stay active';
const deactivated = 'people deactivated in the source since the last import';
const reactivated = 'people activated again in the source since the last import';

/** The name and the address that an account lacks. */
function changesOf({ username = '', name, email = '', imported }: KnownAccount, wanted: WantedAccount) {
  const isNew = imported?.is_unlisted === true;
  const lacksAddress = email.endsWith('.invalid') && wanted.email !== undefined;
  return {
    ...(wanted.name !== undefined &&
      (isNew || name === undefined) && { name: wanted.name, name_beginnings: nameBeginnings({ username, name: wanted.name }) }),
    ...(lacksAddress &&
      wanted.email !== undefined && {
        email: wanted.email,
        email_key: emailKey(wanted.email),
        email_beginnings: emailBeginnings(wanted.email),
      }),
  };
}

/**
 * Changes an account unless it was claimed meanwhile. The address stays if another account has the
 * new one.
 */
async function applyTo({ _id }: KnownAccount, update: UpdateFilter<Omit<UserDocument, '_id'>>): Promise<UserDocument | null> {
  const unclaimed = { _id, 'imported.is_unclaimed': true as const };
  const options = { returnDocument: 'after' as const };
  try {
    return await users.findOneAndUpdate(unclaimed, update, options);
  } catch (error) {
    if (duplicateIn(error) !== 'email') throw error;
    const { email: _, email_key: __, email_beginnings: ___, ...others } = update.$set ?? {};
    return users.findOneAndUpdate(unclaimed, { ...update, $set: others }, options);
  }
}

/** Renames an account to the first free one of these usernames. */
async function rename({ _id, username = '', name }: KnownAccount, { usernames, ...wanted }: WantedAccount): Promise<string> {
  for (const next of usernames) {
    if (next === username) return username;
    try {
      const beginnings = nameBeginnings({ username: next, name: wanted.name ?? name });
      const change = { $set: { username: next, name_beginnings: beginnings } };
      const { matchedCount } = await users.updateOne({ _id, 'imported.is_unclaimed': true }, change);
      return matchedCount > 0 ? next : username;
    } catch (error) {
      if (duplicateIn(error) !== 'username') throw error;
    }
  }
  return username;
}
