import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type Collection, type Db, type Document, MongoClient, type MongoClientOptions } from 'mongodb';
import { onTestFinished } from 'vitest';
import { type DatabaseOptions, type RunningDatabase, startDatabase } from '../../src/server.ts';

/** A directory that goes when the test does. */
export function freshDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'embedded-'));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

/** A database of the test's own; in a fresh directory unless the test brings one. */
export async function freshDatabase(options: Partial<DatabaseOptions> = {}): Promise<RunningDatabase> {
  const database = await startDatabase({ dataDir: options.dataDir ?? freshDirectory(), ...options });
  onTestFinished(() => database.close());
  return database;
}

/** The unchanged driver, closed when the test ends. */
export function connect(uri: string, options?: MongoClientOptions): MongoClient {
  const client = new MongoClient(uri, options);
  // Where the database has ended a moment before, the driver (7.8.0) may wait for ever to tell it of the end.
  onTestFinished(() => Promise.race([client.close(), delay(1_000, undefined, { ref: false })]));
  return client;
}

/** The driver's view of a database of the test's own. */
export async function freshDb(): Promise<Db> {
  const { uri } = await freshDatabase();
  return connect(uri).db('test');
}

/** A collection in a database of the test's own. */
export async function freshCollection<Schema extends Document = Document>(): Promise<Collection<Schema>> {
  return (await freshDb()).collection<Schema>('things');
}
