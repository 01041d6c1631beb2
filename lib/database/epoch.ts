import { randomBytes } from 'node:crypto';
import type { Db } from 'mongodb';
import { collection } from './bounded.ts';
import { database } from './client.ts';
import { isDuplicateKey } from './failures.ts';
import { askEmbedded } from './file-state.ts';
import { stateOf } from './within-process.ts';

/*
 * A restored database goes back in time, and its rooms then take the same places again for other things. So every cursor says
 * in which epoch it counts. The epoch is made with the database and made again when the database was replaced by an earlier one.
 */

/** The epoch of the database, and whether it is the first: only then can a cursor be right that does not say its epoch. */
type Epoch = { id: string; isFirst: boolean };

/** The only document of its collection; `file` is the embedded database's file for which it was made. */
type EpochDocument = { _id: 'now'; epoch: string; is_first: boolean; file?: string };

const epochs = collection<EpochDocument>('epochs');
const only = { _id: 'now' } as const;

/** The start of a cursor: 60 random bits. */
export const epochPattern = '[0-9a-f]{15}';

/** For how many milliseconds a process believes what it has read, where a change of the database does not show by itself. */
const longestBelief = 5_000;

type CachedEpoch = Epoch & { database: Db; readAt: number; state: number };
let known: CachedEpoch | undefined;
let reading: Promise<CachedEpoch> | undefined;

/**
 * The epoch of the database. To be read before what it is told with: an epoch that is too old for what was read is refused
 * later, one that is too new would not be.
 */
export const currentEpoch = async (): Promise<Epoch> => (known && isFresh(known) ? known : readEpoch());

/** The epoch that `currentEpoch` has told last. */
export const lastEpoch = (): string => known?.id ?? '';

/**
 * Whether this is the epoch of the database. Another process may know a newer one than this process, so a foreign epoch is not
 * refused before the database was asked.
 */
export const isCurrentEpoch = async (id: string): Promise<boolean> =>
  (await currentEpoch()).id === id || (await readEpoch()).id === id;

const isFresh = (known: CachedEpoch): boolean =>
  known.database === database &&
  (known.state === stateOf(epochs) || (Number.isNaN(known.state) && performance.now() - known.readAt < longestBelief));

function readEpoch(): Promise<CachedEpoch> {
  reading ??= findOrMake().finally(() => {
    reading = undefined;
  });
  return reading;
}

async function findOrMake(): Promise<CachedEpoch> {
  const state = stateOf(epochs);
  const readAt = performance.now();
  const { epoch, is_first } = (await epochs.findOne(only)) ?? (await makeFirst());
  known = { id: epoch, isFirst: is_first, database, readAt, state };
  return known;
}

async function makeFirst(file?: string): Promise<EpochDocument> {
  const first: EpochDocument = { ...only, epoch: randomEpoch(), is_first: true, ...(file !== undefined && { file }) };
  try {
    await epochs.insertOne(first);
    return first;
  } catch (error) {
    if (!isDuplicateKey(error)) throw error;
    return (await epochs.findOne(only)) ?? first;
  }
}

/** Begins another epoch: the database was restored or imported, and no cursor of before is right. */
export async function renewEpoch(): Promise<void> {
  const file = await findFileId();
  const change = { epoch: randomEpoch(), is_first: false, ...(file !== undefined && { file }) };
  await epochs.updateOne(only, { $set: change }, { upsert: true });
  known = undefined;
}

/** Begins another epoch if the embedded database's file is a copy, such as a backup that was put in its place. */
export async function noteFile(): Promise<void> {
  const file = await findFileId();
  const found = (await epochs.findOne(only)) ?? (await makeFirst(file));
  if (file === undefined || found.file === file) return;
  if (found.file === undefined) await epochs.updateOne(only, { $set: { file } });
  else await renewEpoch();
}

const findFileId = async (): Promise<string | undefined> => (await askEmbedded({ fileId: 1 }))?.id;

const randomEpoch = () => randomBytes(8).toString('hex').slice(1);
