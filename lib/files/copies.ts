import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Document } from 'mongodb';
import { fileQuotas } from '../collections/rooms/file-quotas.ts';
import { type FileDocument, files } from '../collections/rooms/files.ts';
import { backUp, type CopyCounts } from '../database/backup.ts';
import { isKey } from './directory.ts';
import { recountQuotas } from './quotas.ts';
import { inGroups } from './removal.ts';
import { fileKeyOf, findStore, previewKey } from './store.ts';

/** The number of files that should have bytes, and how many of them lack bytes. */
export type FileCounts = { files: number; missing: number };

/**
 * Copies the database to a new directory, and then the bytes of the files to `files` there. They
 * include all files in the copied database, except files that were deleted meanwhile.
 */
export async function backUpAll(
  directory: string,
  progress?: (what: string) => void,
): Promise<{ documents: CopyCounts; files: FileCounts | undefined }> {
  const documents = await backUp(directory, progress);
  try {
    return { documents, files: await copyFiles(join(directory, 'files')) };
  } catch (error) {
    // A copy without the files would look complete.
    await rm(directory, { recursive: true, force: true });
    throw error;
  }
}

/**
 * Copies the bytes of all files to a directory, with hard links if possible. `documents` may come
 * from elsewhere than the database. Returns undefined if the service stores no files.
 */
export async function copyFiles(directory: string, documents = storedFiles()): Promise<FileCounts | undefined> {
  const store = findStore();
  if (!store) return undefined;
  const counts = { files: 0, missing: 0 };
  const missing = await store.copyTo(directory, keysOf(documents, counts));
  return { ...counts, missing: counts.missing + new Set(missing.map(fileKeyOf)).size };
}

/**
 * Copies the bytes from a directory into the store, after an import of the documents, and recounts
 * the quotas. Returns undefined if the service stores no files.
 */
export async function bringFiles(directory: string): Promise<number | undefined> {
  const brought = await findStore()?.copyFrom(directory);
  await fileQuotas.updateMany({}, { $set: { is_unchecked: true } });
  await recountQuotas({ atRestFor: 0 });
  return brought;
}

/** Counts the files that should have bytes, and those that lack them; undefined without a store. */
export async function checkFiles(): Promise<FileCounts | undefined> {
  const store = findStore();
  if (!store) return undefined;
  const counts = { files: 0, missing: 0 };
  const { beginning } = store;
  const lacks = async (keys: string[]) => (await Promise.all(keys.map(beginning))).includes(undefined);
  for await (const some of inGroups(keysOf(storedFiles(), counts)))
    counts.missing += (await Promise.all(some.map(lacks))).filter(Boolean).length;
  return counts;
}

const batchSize = 500;

type StoredFile = Pick<FileDocument, 'key' | 'preview'>;

/** The states of files that should have bytes. */
const withBytes: readonly FileDocument['state'][] = ['stored', 'bound'];

/** The documents of files that should have bytes. */
const storedFiles = (): AsyncIterable<StoredFile> =>
  files.find<StoredFile>({ state: { $in: [...withBytes] } }, { projection: { key: 1, preview: 1 }, batchSize });

/** The files that should have bytes, among documents from elsewhere. */
export async function* storedFilesAmong(documents: AsyncIterable<Document[]>): AsyncGenerator<StoredFile> {
  for await (const batch of documents)
    for (const { state, key, preview } of batch) if (withBytes.includes(state)) yield { key, preview };
}

/** The keys of all bytes that should exist, grouped by file. */
async function* keysOf(documents: AsyncIterable<StoredFile>, counts: FileCounts): AsyncGenerator<string[]> {
  for await (const { key, preview } of documents) {
    counts.files++;
    // A damaged document may contain any key, even one that leads out of the directory.
    if (!isKey.test(key)) counts.missing++;
    else yield preview?.is_stored ? [key, previewKey(key)] : [key];
  }
}
