import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type Collection, type Db, type Document, MongoClient, type MongoClientOptions } from 'mongodb';
import { onTestFinished } from 'vitest';
import { type DatabaseOptions, type RunningDatabase, startDatabase } from '../../src/server.ts';

/** A temporary directory, deleted when the test ends. */
export function freshDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'embedded-'));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

/** A new database for the test, by default in a temporary directory. */
export async function freshDatabase(options: Partial<DatabaseOptions> = {}): Promise<RunningDatabase> {
  const database = await startDatabase({ dataDir: options.dataDir ?? freshDirectory(), ...options });
  onTestFinished(() => database.close());
  return database;
}

/** The official driver. It is closed when the test ends. */
export function connect(uri: string, options?: MongoClientOptions): MongoClient {
  const client = new MongoClient(uri, options);
  // If the database has just ended, `close` of the driver (7.8.0) may wait for ever.
  onTestFinished(() => Promise.race([client.close(), delay(1_000, undefined, { ref: false })]));
  return client;
}

/** A driver's handle of a new database. */
export async function freshDb(): Promise<Db> {
  const { uri } = await freshDatabase();
  return connect(uri).db('test');
}

/** A collection in a new database. */
export async function freshCollection<Schema extends Document = Document>(): Promise<Collection<Schema>> {
  return (await freshDb()).collection<Schema>('things');
}
