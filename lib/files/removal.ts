import type { Filter, WithId } from 'mongodb';
import { regardlessOfDeadline } from '../base/deadline.ts';
import { describeError, log } from '../base/log.ts';
import { type FileDocument, files } from '../collections/rooms/files.ts';
import { messages } from '../collections/rooms/messages.ts';
import type { FileStore } from './file-store.ts';
import { giveQuotaBack, recountQuotas } from './quotas.ts';
import { fileKeyOf, findStore, previewKey } from './store.ts';

/*
 * A file in a pending state has `due`, the time when the sweep must check it. `due` is written
 * before the step that may be interrupted:
 *
 * - announced: in an hour if no bytes arrive, in a day for an object store
 * - stored: in a day if it is never sent
 * - bound: in an hour; removed when its message is stored
 * - about to be deleted: now; written before its message or its room is deleted
 *
 * A file is removed in an order that the next sweep can continue. The steps are: mark it, remove
 * its bytes, delete its document, and refund its quota.
 */

/** How long a file without a message is kept, in milliseconds. */
export const unboundTime = 24 * 3_600_000;

/** How long space is reserved for an announced file without bytes, in milliseconds. */
export const announcedTime = 3_600_000;

/**
 * After this time, in milliseconds, the message that a file is bound to is either stored or never
 * will be.
 */
export const bindingTime = 3_600_000;

type FileFilter = Filter<Omit<FileDocument, '_id'>>;
type StoredFile = WithId<Omit<FileDocument, '_id'>>;

/** How many files are removed between two checks of the time. */
const batchSize = 100;

/** Makes the sweep check these files. Call it before the step that will remove them. */
export const expectRemoval = async (matching: FileFilter): Promise<void> =>
  void (await files.updateMany(matching, { $set: { due: new Date() } }));

/** Removes files and their bytes. If that fails, the sweep does it. */
export const removeFiles = (matching: FileFilter): Promise<void> =>
  regardlessOfDeadline(async () => {
    while ((await removeSomeFiles(matching)) === batchSize);
  });

/** Removes a batch of files; returns how many it found. */
export async function removeSomeFiles(matching: FileFilter): Promise<number> {
  const present = { ...matching, state: matching.state ?? { $ne: 'deleted' } } as FileFilter;
  const found = await files.find(present, { limit: batchSize, batchSize: batchSize + 1 }).toArray();
  await Promise.all(found.map(removeFile));
  return found.length;
}

/** Removes a file; false if it has changed since it was read, and so stays. */
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

/** The number of removed files, and of removed bytes without a document. */
export type SweepResult = { removed: number; orphans: number };

/** How many files are checked or removed concurrently. */
const groupSize = 20;

/**
 * Removes files without a message that will never get one. `isThorough`: also removes bytes without
 * a document, for which it lists the whole store. It stops at `until` (on the clock of
 * `performance.now()`); the next sweep continues.
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
  // Before the store is listed, which uses all of the time if it is large.
  await recountQuotas({ until });
  if (isThorough) swept.orphans = await removeOrphans(store, now, until);
  return swept;
}

/** Splits items into groups of `groupSize`, for concurrent work. */
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
  // Unless its message is about to be deleted: then `due` has changed.
  await files.updateOne({ _id, due: due as Date }, { $unset: { due: '' } });
  return false;
}

async function removeOrphans(store: FileStore, now: number, until: number): Promise<number> {
  let orphans = 0;
  for await (const names of store.keysBefore(now - unboundTime)) {
    const known = await files.find({ key: { $in: names.map(fileKeyOf) } }, { projection: { key: 1 } }).toArray();
    const keys = new Set(known.map(({ key }) => key));
    // An upload that was never completed has a suffix in its name.
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
