import type { Db, MongoClient } from 'mongodb';
import { notPrepared } from '../base/errors.ts';
import { collection } from './bounded.ts';
import { database } from './client.ts';
import { indexVersion } from './index-version.ts';

/*
 * Unique indexes hold rules such as one account per name, so nothing may be written before they exist. A server makes
 * them before it listens; a deployment on AWS has functions that serve at once, and notes in the database which
 * versions of the indexes it has made.
 */

/** The only document of its collection. An earlier version may run beside a later one, or be rolled back to. */
type PreparationDocument = { _id: 'indexes'; versions: string[] };

const preparations = collection<PreparationDocument>('preparations');
const only = { _id: 'indexes' } as const;

/** The databases that are known to have them, by client and name: with other settings there is another client. */
const prepared = new WeakMap<MongoClient, Set<string>>();

const remember = ({ client, databaseName }: Db): void =>
  void prepared.set(client, new Set(prepared.get(client)).add(databaseName));

/** Notes that the indexes of this version exist. */
export async function notePreparation(): Promise<void> {
  const found = await preparations.findOne({ ...only, versions: indexVersion }, { projection: { _id: 1 } });
  if (!found) await preparations.updateOne(only, { $addToSet: { versions: indexVersion } }, { upsert: true });
  remember(database);
}

/** Whether the database has the indexes of this version. It is asked until it has. */
export async function isPrepared(): Promise<boolean> {
  if (prepared.get(database.client)?.has(database.databaseName)) return true;
  const asked = database;
  const found = await preparations.findOne({ ...only, versions: indexVersion }, { projection: { _id: 1 } });
  if (found) remember(asked);
  return found !== null;
}

/** Refuses to write without these indexes. */
export async function requirePreparation(): Promise<void> {
  if (!(await isPrepared())) throw notPrepared();
}
