import type { ObjectId } from 'mongodb';
import { type UserDocument, users } from '../collections/users.ts';
import { emailBeginnings, nameBeginnings } from '../identity/beginnings.ts';
import { type Upgrade, type UpgradedChunk, type UpgradeOptions, upgradeAll, upgradeMeanwhile } from '../upgrade.ts';

const chunkSize = 200;

const upgrade: Upgrade = {
  name: 'beginnings of accounts',
  failure: 'accounts of an earlier version are not in the index of their names yet',
  change: fillChunk,
};

/** Puts accounts that earlier versions stored into the index by which administrators find them. Until then all are looked at. */
export const fillBeginnings = (options?: UpgradeOptions): Promise<number> => upgradeAll(upgrade, options);

/** Does so while the process serves. */
export const fillBeginningsMeanwhile = (): { end: () => Promise<void> } => upgradeMeanwhile(upgrade);

async function fillChunk(before: ObjectId | undefined): Promise<UpgradedChunk> {
  const found = await users
    .find<Pick<UserDocument, '_id' | 'username' | 'name' | 'email' | 'name_beginnings' | 'email_beginnings'>>(
      before ? { _id: { $lt: before } } : {},
      {
        projection: { username: 1, name: 1, email: 1, name_beginnings: 1, email_beginnings: 1 },
        sort: { _id: -1 },
        limit: chunkSize,
        batchSize: chunkSize + 1,
      },
    )
    .toArray();
  // Only as long as the account is called so: a change meanwhile has written its own.
  const named = found
    .filter(({ name_beginnings }) => name_beginnings === undefined)
    .map(({ _id, username, name }) => ({
      updateOne: {
        filter: { _id, username, name: name ?? { $exists: false }, name_beginnings: { $exists: false } },
        update: { $set: { name_beginnings: nameBeginnings({ username, name }) } },
      },
    }));
  const reached = found.flatMap(({ _id, email, email_beginnings }) =>
    email === undefined || email_beginnings !== undefined
      ? []
      : [
          {
            updateOne: {
              filter: { _id, email, email_beginnings: { $exists: false } },
              update: { $set: { email_beginnings: emailBeginnings(email) } },
            },
          },
        ],
  );
  const updates = [...named, ...reached];
  if (updates.length > 0) await users.unscoped.bulkWrite(updates, { ordered: false });
  return { count: named.length, last: (found.length === chunkSize && found.at(-1)?._id) || null };
}
