import { randomBytes } from 'node:crypto';
import type { Db } from 'mongodb';
import { collection } from './bounded.ts';
import { database } from './client.ts';
import { isDuplicateKey } from './failures.ts';
import { askEmbedded } from './file-state.ts';
import { stateOf } from './within-process.ts';

/*
 * A restored database goes back in time, and its rooms then use the same `seq` again for other
 * messages. So every cursor has the epoch that it belongs to. The epoch is created with the
 * database, and renewed when an earlier state replaces the database.
 */

/** The epoch of the database. A cursor without an epoch is valid only in the first one. */
type Epoch = { id: string; isFirst: boolean };

/**
 * The only document of its collection. `file` is the id of the embedded database's file that the
 * epoch belongs to.
 */
type EpochDocument = { _id: 'now'; epoch: string; is_first: boolean; file?: string };

const epochs = collection<EpochDocument>('epochs');
const only = { _id: 'now' } as const;

/** The start of a cursor: 60 random bits. */
export const epochPattern = '[0-9a-f]{15}';

/** How long a process may use a cached epoch, if it cannot detect changes of the database. */
const longestBeliefMs = 5_000;

type CachedEpoch = Epoch & { database: Db; readAt: number; state: number };
let known: CachedEpoch | undefined;
let reading: Promise<CachedEpoch> | undefined;

/**
 * The epoch of the database. Read it before the data that it is sent with. An epoch that is older
 * than the data is refused later; a newer one would be accepted.
 */
export const currentEpoch = async (): Promise<Epoch> => (known && isFresh(known) ? known : readEpoch());

/** The last epoch that this process has read. */
export const lastEpoch = (): string => known?.id ?? '';

/**
 * Returns true if this is the epoch of the database. Another process may know a newer epoch than
 * this one, so the database is asked before a foreign epoch is refused.
 */
export const isCurrentEpoch = async (id: string): Promise<boolean> =>
  (await currentEpoch()).id === id || (await readEpoch()).id === id;

const isFresh = (known: CachedEpoch): boolean =>
  known.database === database &&
  (known.state === stateOf(epochs) || (Number.isNaN(known.state) && performance.now() - known.readAt < longestBeliefMs));

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

/**
 * Starts another epoch, because the database was restored or imported: no earlier cursor is valid.
 */
export async function renewEpoch(): Promise<void> {
  const file = await findFileId();
  const change = { epoch: randomEpoch(), is_first: false, ...(file !== undefined && { file }) };
  await epochs.updateOne(only, { $set: change }, { upsert: true });
  known = undefined;
}

/**
 * Starts another epoch if the embedded database's file is a copy, such as a backup that was put in
 * its place.
 */
export async function noteFile(): Promise<void> {
  const file = await findFileId();
  const found = (await epochs.findOne(only)) ?? (await makeFirst(file));
  if (file === undefined || found.file === file) return;
  if (found.file === undefined) await epochs.updateOne(only, { $set: { file } });
  else await renewEpoch();
}

const findFileId = async (): Promise<string | undefined> => (await askEmbedded({ fileId: 1 }))?.id;

const randomEpoch = () => randomBytes(8).toString('hex').slice(1);
