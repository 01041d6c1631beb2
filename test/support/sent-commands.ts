import type { CommandStartedEvent, Db, Document } from 'mongodb';
import { inject } from 'vitest';
import { client, database } from '../../lib/database/client.ts';
import { emptyDatabase } from './empty-database.ts';

/** A command that the service has sent to the database. */
export type SentCommand = { name: string; collection: string; command: Document };

/** The commands that the service sends to the database while `work` runs; for tests that do nothing else meanwhile. */
export async function commandsOf(work: () => Promise<unknown>): Promise<SentCommand[]> {
  const sent: SentCommand[] = [];
  const record = ({ commandName: name, command }: CommandStartedEvent) => {
    // What earlier work has noted in read markers is stored a moment after it, and the epoch is read every five seconds.
    if (!(name === 'update' && command[name] === 'reads') && command[name] !== 'epochs')
      sent.push({ name, collection: command[name], command });
  };
  client.on('commandStarted', record);
  try {
    await work();
  } finally {
    client.off('commandStarted', record);
  }
  return sent;
}

/** The stages of the database's plan for what a command reads or changes; none for an insert, which looks for nothing. */
export async function planOf({ name, collection, command }: SentCommand): Promise<string[]> {
  if (name === 'insert') return [];
  const { filter, sort, limit, pipeline } = command;
  const query = command.query ?? command.updates?.[0].q ?? command.deletes?.[0].q ?? filter;
  const explained = pipeline
    ? { aggregate: collection, pipeline, cursor: {} }
    : { find: collection, filter: query, ...(sort && { sort }), ...(limit && { limit }) };
  const planned = inject('isEmbedded') ? database : await withoutDocuments(collection);
  const plan = await planned.command({ explain: explained, verbosity: 'queryPlanner' });
  return [...JSON.stringify(plan).matchAll(/"stage":"([\w ]+)"/g)].map(([, stage = '']) => stage);
}

/** A database in which a collection has its indexes and no documents. */
async function withoutDocuments(collection: string): Promise<Db> {
  const empty = client.db(emptyDatabase(inject('environment')));
  // Those that have indexes of their own are there already.
  await empty.createCollection(collection).catch(() => undefined);
  return empty;
}
