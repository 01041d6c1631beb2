import { setTimeout as sleep } from 'node:timers/promises';
import type { ObjectId } from 'mongodb';
import { type Background, inBackground } from '../../base/background.ts';
import { type UpgradeDocument, upgrades } from './upgrades.ts';

/** The number of changed documents, and the id of the last one in the chunk; null at the end. */
export type UpgradedChunk = { count: number; last: ObjectId | null };

/**
 * An upgrade of documents that earlier versions stored. `change` upgrades the chunk before an id;
 * the newest documents come first.
 */
export type Upgrade = {
  name: UpgradeDocument['_id'];
  /** The log message for a failure. */
  failure: string;
  change: (before: ObjectId | undefined) => Promise<UpgradedChunk>;
};

/** `from: 'start'` begins again; `signal` ends the upgrade. */
export type UpgradeOptions = { from?: 'start'; signal?: AbortSignal };

/**
 * Upgrades documents that earlier versions stored, and returns how many it changed. The progress is
 * stored, so an interrupted upgrade continues there. `from: 'start'` checks all documents again,
 * which is necessary after an import. With a signal, the process serves meanwhile: the upgrade then
 * pauses after each chunk for as long as the chunk took.
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

/**
 * Runs an upgrade in the background while the process serves. After a failure, the next start
 * retries it.
 */
export const upgradeMeanwhile = (upgrade: Upgrade): Background =>
  inBackground(({ signal, attempt }) => attempt(upgrade.failure, async () => void (await upgradeAll(upgrade, { signal }))));

/** Returns true if an upgrade is complete. */
export const isUpgraded = async (name: UpgradeDocument['_id']): Promise<boolean> =>
  (await upgrades.findOne({ _id: name }))?.down_to === null;
