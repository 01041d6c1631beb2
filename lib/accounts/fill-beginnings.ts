import { isDeepStrictEqual } from 'node:util';
import type { ObjectId } from 'mongodb';
import { type UserDocument, users } from '../collections/accounts/users.ts';
import {
  type Upgrade,
  type UpgradedChunk,
  type UpgradeOptions,
  upgradeAll,
  upgradeMeanwhile,
} from '../collections/service/upgrade.ts';
import { emailBeginnings, nameBeginnings } from '../identity/beginnings.ts';

const chunkSize = 200;

const upgrade: Upgrade = {
  name: 'beginnings of accounts',
  failure: 'accounts of an earlier version are not in the index of their names yet',
  change: fillChunk,
};

/**
 * Fills the search index of administrators (`name_beginnings`, `email_beginnings`) for accounts
 * that an earlier version wrote. Such a version may still rename or delete accounts during the
 * upgrade. `from: 'start'` checks all accounts again. Until it is done, a search reads all
 * accounts.
 */
export const fillBeginnings = (options?: UpgradeOptions): Promise<number> => upgradeAll(upgrade, options);

/** Runs `fillBeginnings` in the background while the process serves. */
export const fillBeginningsMeanwhile = (): { end: () => Promise<void> } => upgradeMeanwhile(upgrade);

const fields = { username: 1, name: 1, email: 1, name_beginnings: 1, email_beginnings: 1 } as const;

/** A deleted account lacks all of these fields. */
type Account = Pick<UserDocument, '_id'> & { [Field in keyof typeof fields]?: UserDocument[Field] };

async function fillChunk(before: ObjectId | undefined): Promise<UpgradedChunk> {
  const found = await users.unscoped
    .find<Account>(
      { ...(before && { _id: { $lt: before } }), webhook_of: { $exists: false } },
      { projection: fields, sort: { _id: -1 }, limit: chunkSize, batchSize: chunkSize + 1 },
    )
    .toArray();
  const updates = found.flatMap((account) => [...correctNames(account), ...correctAddress(account)]);
  if (updates.length > 0) await users.unscoped.bulkWrite(updates, { ordered: false });
  const changed = new Set(updates.map(({ updateOne }) => updateOne.filter._id.toHexString()));
  return { count: changed.size, last: (found.length === chunkSize && found.at(-1)?._id) || null };
}

// The filter has the names, so that a concurrent rename keeps the index that it wrote.
function correctNames({ _id, username, name, name_beginnings: stored }: Account) {
  const beginnings = username === undefined ? undefined : nameBeginnings({ username, name });
  if (isDeepStrictEqual(stored, beginnings)) return [];
  const filter = { _id, username: username ?? { $exists: false }, name: name ?? { $exists: false } };
  const update = beginnings ? { $set: { name_beginnings: beginnings } } : { $unset: { name_beginnings: '' as const } };
  return [{ updateOne: { filter, update } }];
}

function correctAddress({ _id, email, email_beginnings: stored }: Account) {
  const beginnings = email === undefined ? undefined : emailBeginnings(email);
  if (isDeepStrictEqual(stored, beginnings)) return [];
  const filter = { _id, email: email ?? { $exists: false } };
  const update = beginnings ? { $set: { email_beginnings: beginnings } } : { $unset: { email_beginnings: '' as const } };
  return [{ updateOne: { filter, update } }];
}
