import { setTimeout as sleep } from 'node:timers/promises';
import type { ObjectId } from 'mongodb';
import { type Background, inBackground } from '../../base/background.ts';
import { type UpgradeDocument, upgrades } from './upgrades.ts';

/** How many documents of a chunk were changed, and the last one of it; null at the end. */
export type UpgradedChunk = { count: number; last: ObjectId | null };

/** A change of what earlier versions stored: chunk by chunk, those before an id, the newest first. */
export type Upgrade = {
  name: UpgradeDocument['_id'];
  /** What the log says when it fails. */
  failure: string;
  change: (before: ObjectId | undefined) => Promise<UpgradedChunk>;
};

/** Where to begin, and what ends it. */
export type UpgradeOptions = { from?: 'start'; signal?: AbortSignal };

/**
 * Changes what earlier versions stored. How far it came is stored, so that it goes on there if it is cut off;
 * `from: 'start'` looks at everything again, as is due after an import. While the process serves, which a signal shows,
 * others have their turn for as long as each chunk took. Returns how many documents were changed.
 */
export async function upgradeAll({ name, change }: Upgrade, { from, signal }: UpgradeOptions = {}): Promise<number> {
  if (from === 'start') await upgrades.deleteOne({ _id: name });
  let downTo = (await upgrades.findOne({ _id: name }))?.down_to;
  let changed = 0;
  while (downTo !== null && !signal?.aborted) {
    const begun = performance.now();
    const { count, last }: UpgradedChunk = await change(downTo);
    downTo = last;
    changed += count;
    await upgrades.updateOne({ _id: name }, { $set: { down_to: downTo } }, { upsert: true });
    if (signal && downTo !== null) await sleep(performance.now() - begun);
  }
  return changed;
}

/** Does so while the process serves; what fails is tried again at the next start. */
export const upgradeMeanwhile = (upgrade: Upgrade): Background =>
  inBackground(({ signal, attempt }) => attempt(upgrade.failure, async () => void (await upgradeAll(upgrade, { signal }))));

/** Whether everything has been changed. */
export const isUpgraded = async (name: UpgradeDocument['_id']): Promise<boolean> =>
  (await upgrades.findOne({ _id: name }))?.down_to === null;
