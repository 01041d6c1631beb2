import type { Db, Document } from 'mongodb';
import { database } from '../../lib/database/client.ts';
import { withConfig } from './config.ts';
import { commandWatchers, isEmbedded, usualDatabase } from './worker.ts';

/** A command that the service has sent to the database. */
export type SentCommand = { name: string; collection: string; command: Document };

/**
 * The commands that the service sends to the database while `work` runs. The test must not do
 * anything else at that time.
 */
export async function commandsOf(work: () => Promise<unknown>): Promise<SentCommand[]> {
  const sent: SentCommand[] = [];
  const record = (built: Document) => {
    // The driver keeps the writes of a command separate until it is sent.
    const fields = Object.entries(built).map(([field, value]) => [field, value?.documents ?? value]);
    const command: Document = Object.fromEntries(fields);
    const [name = '', collection] = Object.entries(command)[0] ?? [];
    // Buffered changes of read markers are written a moment later, and the epoch is read every five
    // seconds.
    if (!(name === 'update' && collection === 'reads') && collection !== 'epochs') sent.push({ name, collection, command });
  };
  commandWatchers.add(record);
  try {
    await work();
  } finally {
    commandWatchers.delete(record);
  }
  return sent;
}

/** Resolves as soon as the service sends a command of this name about a collection. */
export const untilSent = (name: string, collection: string): Promise<void> =>
  new Promise((resolve) => {
    const look = (command: Document) => {
      if (command[name] !== collection) return;
      commandWatchers.delete(look);
      resolve();
    };
    commandWatchers.add(look);
  });

/**
 * The stages of the database's plan for a command's query; empty for an insert, which does not have
 * a query.
 */
export async function planOf({ name, collection, command }: SentCommand): Promise<string[]> {
  if (name === 'insert') return [];
  const { filter, sort, limit, pipeline } = command;
  const query = command.query ?? command.updates?.[0].q ?? command.deletes?.[0].q ?? filter;
  const explained = pipeline
    ? { aggregate: collection, pipeline, cursor: {} }
    : { find: collection, filter: query, ...(sort && { sort }), ...(limit && { limit }) };
  const planned = isEmbedded ? database : await withoutDocuments(collection);
  const plan = await planned.command({ explain: explained, verbosity: 'queryPlanner' });
  return [...JSON.stringify(plan).matchAll(/"stage":"([\w ]+)"/g)].map(([, stage = '']) => stage);
}

/**
 * A database with this collection's indexes and without documents: some databases plan differently
 * once they have counted only a few.
 */
const withoutDocuments = (collection: string): Promise<Db> =>
  withConfig({ MONGODB_DATABASE: `${usualDatabase}_empty` }, async () => {
    // Collections with indexes exist already.
    await database.createCollection(collection).catch(() => undefined);
    return database;
  });
