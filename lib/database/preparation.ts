import type { Db, MongoClient } from 'mongodb';
import { notPrepared } from '../base/errors.ts';
import { collection } from './bounded.ts';
import { database } from './client.ts';
import { indexVersion } from './index-version.ts';

/*
 * Unique indexes enforce rules such as one account per name, so nothing may be written before they
 * exist. A server creates them before it listens. On AWS, functions serve as soon as they are
 * deployed, so the deployment records in the database which index versions it has created.
 */

/**
 * The only document of its collection. It lists several versions, because an earlier version may
 * run beside a later one, or be rolled back to.
 */
type PreparationDocument = { _id: 'indexes'; versions: string[] };

const preparations = collection<PreparationDocument>('preparations');
const only = { _id: 'indexes' } as const;

/**
 * The databases whose indexes are known to exist, by client and name: other settings use another
 * client.
 */
const prepared = new WeakMap<MongoClient, Set<string>>();

const remember = ({ client, databaseName }: Db): void =>
  void prepared.set(client, new Set(prepared.get(client)).add(databaseName));

/** Records that the indexes of this version exist. */
export async function notePreparation(): Promise<void> {
  const found = await preparations.findOne({ ...only, versions: indexVersion }, { projection: { _id: 1 } });
  if (!found) await preparations.updateOne(only, { $addToSet: { versions: indexVersion } }, { upsert: true });
  remember(database);
}

/**
 * Returns true if the database has the indexes of this version. Only the positive answer is cached.
 */
export async function isPrepared(): Promise<boolean> {
  if (prepared.get(database.client)?.has(database.databaseName)) return true;
  const asked = database;
  const found = await preparations.findOne({ ...only, versions: indexVersion }, { projection: { _id: 1 } });
  if (found) remember(asked);
  return found !== null;
}

/** Refuses a write, with 503, if these indexes do not exist. */
export async function requirePreparation(): Promise<void> {
  if (!(await isPrepared())) throw notPrepared();
}
