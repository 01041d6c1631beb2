import type { Filter, WithId } from 'mongodb';
import { regardlessOfDeadline } from '../base/deadline.ts';
import { describeError, log } from '../base/log.ts';
import { type FileDocument, files } from '../collections/rooms/files.ts';
import { messages } from '../collections/rooms/messages.ts';
import type { FileStore } from './file-store.ts';
import { giveQuotaBack, recountQuotas } from './quotas.ts';
import { fileKeyOf, findStore, previewKey } from './store.ts';

/*
 * What is pending has a time at which the sweep must look at it, written before the step that may be cut off:
 *
 *   announced            an hour later, no bytes came; a day later if they go to an object store
 *   stored               a day later, it was never sent
 *   bound                an hour later; taken away when its message is stored
 *   about to be deleted  now; written before its message or its room is deleted
 *
 * A file is removed in an order that the next sweep can continue: it is marked, then its bytes go, then its document,
 * and last what it counts against the quotas.
 */

/** For how many milliseconds a file is kept that no message has. */
export const unboundTime = 24 * 3_600_000;

/** For how many milliseconds the space of an announced file is reserved without its bytes. */
export const announcedTime = 3_600_000;

/** After how many milliseconds a message that has taken a file is surely stored, or never will be. */
export const bindingTime = 3_600_000;

type FileFilter = Filter<Omit<FileDocument, '_id'>>;
type StoredFile = WithId<Omit<FileDocument, '_id'>>;

/** How many are removed between two looks at the clock. */
const batchSize = 100;

/** Notes that the sweep must look at these files, before they are removed for what is about to happen. */
export const expectRemoval = async (matching: FileFilter): Promise<void> =>
  void (await files.updateMany(matching, { $set: { due: new Date() } }));

/** Removes files and their bytes; what fails is removed by the sweep. */
export const removeFiles = (matching: FileFilter): Promise<void> =>
  regardlessOfDeadline(async () => {
    while ((await removeSomeFiles(matching)) === batchSize);
  });

/** Removes a batch of them; returns how many that were. */
export async function removeSomeFiles(matching: FileFilter): Promise<number> {
  const present = { ...matching, state: matching.state ?? { $ne: 'deleted' } } as FileFilter;
  const found = await files.find(present, { limit: batchSize, batchSize: batchSize + 1 }).toArray();
  await Promise.all(found.map(removeFile));
  return found.length;
}

/** Removes a file; false for one that has changed since it was read, which stays. */
export async function removeFile({ _id, state, due, user, key, preview, bytes }: StoredFile): Promise<boolean> {
  const asSeen = { _id, state, due: due ?? null } as FileFilter;
  const { matchedCount } = await files.updateOne(asSeen, { $set: { state: 'deleted', due: new Date(), name: '' } });
  if (matchedCount === 0) return false;
  try {
    const store = findStore();
    await store?.remove(key);
    if (preview) await store?.remove(previewKey(key));
    const { deletedCount } = await files.deleteOne({ _id });
    if (deletedCount > 0) await giveQuotaBack(user, bytes);
  } catch (error) {
    log('error', 'a file is yet to be removed', { file: _id.toHexString(), error: describeError(error) });
  }
  return true;
}

/** How many files a sweep has removed, and of how many the bytes were there without a document. */
export type SweepResult = { removed: number; orphans: number };

/** How many files are looked at, or removed, at the same time. */
const groupSize = 20;

/**
 * Removes what no message has, or will have; `isThorough`: also bytes without a document, for which it reads the whole
 * store. It ends before `until` (of `performance.now()`) at what is left, which the next sweep finds.
 */
export async function sweepFiles({
  isThorough = false,
  now = Date.now(),
  until = Number.POSITIVE_INFINITY,
} = {}): Promise<SweepResult> {
  const swept = { removed: 0, orphans: 0 };
  const store = findStore();
  if (!store) return swept;
  const due = files.find({ due: { $lte: new Date(now) } }, { batchSize });
  for await (const some of inGroups(due)) {
    swept.removed += (await Promise.all(some.map(sweepFile))).filter(Boolean).length;
    if (performance.now() > until) return swept;
  }
  // Before the store is read, which takes all of the time if it is large.
  await recountQuotas({ until });
  if (isThorough) swept.orphans = await removeOrphans(store, now, until);
  return swept;
}

/** The same in groups, each of which is worked on at the same time. */
export async function* inGroups<T>(all: AsyncIterable<T> | Iterable<T>): AsyncGenerator<T[]> {
  let group: T[] = [];
  for await (const one of all) {
    if (group.push(one) < groupSize) continue;
    yield group;
    group = [];
  }
  if (group.length > 0) yield group;
}

async function sweepFile(file: StoredFile): Promise<boolean> {
  const { _id, state, message, due } = file;
  const isSent =
    state === 'bound' &&
    message !== null &&
    (await messages.countDocuments({ _id: message, deleted_at: null, 'files._id': _id }, { limit: 1 })) === 1;
  if (!isSent) return removeFile(file);
  // Not if its message is about to be deleted: then it has another time.
  await files.updateOne({ _id, due: due as Date }, { $unset: { due: '' } });
  return false;
}

async function removeOrphans(store: FileStore, now: number, until: number): Promise<number> {
  let orphans = 0;
  for await (const names of store.keysBefore(now - unboundTime)) {
    const known = await files.find({ key: { $in: names.map(fileKeyOf) } }, { projection: { key: 1 } }).toArray();
    const keys = new Set(known.map(({ key }) => key));
    // The name of an upload that was never completed has a suffix.
    const isOrphan = (name: string) =>
      !keys.has(fileKeyOf(name)) || ![fileKeyOf(name), previewKey(fileKeyOf(name))].includes(name);
    for await (const some of inGroups(names.filter(isOrphan))) {
      await Promise.all(some.map((name) => store.remove(name)));
      orphans += some.length;
      if (performance.now() > until) return orphans;
    }
    if (performance.now() > until) return orphans;
  }
  return orphans;
}
