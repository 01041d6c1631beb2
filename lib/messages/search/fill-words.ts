import type { ObjectId } from 'mongodb';
import { type MessageDocument, messages } from '../../collections/rooms/messages.ts';
import {
  type Upgrade,
  type UpgradedChunk,
  type UpgradeOptions,
  upgradeAll,
  upgradeMeanwhile,
} from '../../collections/service/upgrade.ts';
import { tokensOf } from './tokens.ts';

/** The number of messages per batch. */
const chunkSize = 200;

const upgrade: Upgrade = {
  name: 'words of messages',
  failure: 'messages of an earlier version can not be found yet',
  change: fillChunk,
};

/** Adds search tokens to messages that earlier versions stored. */
export const fillWords = (options?: UpgradeOptions): Promise<number> => upgradeAll(upgrade, options);

/** Adds search tokens to old messages in the background, while the process serves requests. */
export const fillWordsMeanwhile = (): { end: () => Promise<void> } => upgradeMeanwhile(upgrade);

async function fillChunk(before: ObjectId | undefined): Promise<UpgradedChunk> {
  const found = await messages.unscoped
    .find<Pick<MessageDocument, '_id' | 'text' | 'files' | 'user' | 'words' | 'deleted_at'>>(
      before ? { _id: { $lt: before } } : {},
      {
        projection: { text: 1, 'files.name': 1, 'files.alt': 1, user: 1, words: 1, deleted_at: 1 },
        sort: { _id: -1 },
        limit: chunkSize,
        batchSize: chunkSize + 1,
      },
    )
    .toArray();
  // Tombstones do not have a text.
  const lacking = found.filter(({ text, words, deleted_at }) => words === undefined && !deleted_at && text !== undefined);
  const updates = lacking.map(({ _id, text, files, user }) => ({
    updateOne: { filter: { _id, text }, update: { $set: { words: tokensOf({ text, files }, user) } } },
  }));
  if (updates.length > 0) await messages.unscoped.bulkWrite(updates, { ordered: false });
  return { count: lacking.length, last: (found.length === chunkSize && found.at(-1)?._id) || null };
}
