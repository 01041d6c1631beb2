import { AsyncLocalStorage } from 'node:async_hooks';
import { mkdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Document, MongoClient } from 'mongodb';
import operations from 'mongodb/lib/operations/execute_operation.js';
import { vi } from 'vitest';
import type { LastChange } from '../../lib/database/within-process.ts';
import { listenForMail } from './mail.ts';

/*
 * A worker process runs many test files, one after the other. It has its own mail server and its
 * own database, which starts on first use, so that tests without it cost nothing.
 */

/** True if the database is the embedded one, not that of `MONGODB_URI`. */
export const isEmbedded = !process.env.MONGODB_URI;

const directory = join(tmpdir(), `worker-${process.pid}`);

/** The directory of the embedded database. */
export const dataDir = join(directory, 'data');
const socket = join(dataDir, 'database.sock');

/** The connection string of the embedded database. */
export const embeddedUri = `mongodb://${encodeURIComponent(socket)}/?directConnection=true`;

// Only this process does without the compile cache. Those that it starts use it.
delete process.env.NODE_DISABLE_COMPILE_CACHE;

const settings: Record<string, string> = {
  ...(isEmbedded && { MONGODB_URI: embeddedUri }),
  BCRYPT_COST: '4',
  // A test file sends many concurrent requests through one process.
  MONGODB_POOL_SIZE: '20',
  LOG_LEVEL: 'silent',
  FILES: join(directory, 'files'),
  AUDIT_LOG: join(directory, 'audit.log'),
  // Tests send requests as fast as they can. The limits have separate tests.
  RATE_LIMITS: 'off',
  SMTP_URL: await listenForMail(),
  MAIL_FROM: 'Chat <chat@example.org>',
  SECRET_KEY: 'ab'.repeat(32),
  PUBLIC_URL: 'https://chat.example.org',
};
mkdirSync(settings.FILES ?? '', { recursive: true });
Object.assign(process.env, settings);
const environment = { ...process.env };

const configuration = await import('../../lib/settings/config.ts');
const { config } = configuration;

/** The database that test files share. */
export const usualDatabase = config.mongodbDatabase;

const ends = new Set<() => unknown>();

/** Runs a function at the end of the test file. */
export const atEndOfFile = (end: () => unknown): void => void ends.add(end);

/** Runs the functions for the end of a test file. */
export async function endFile(): Promise<void> {
  const due = [...ends];
  ends.clear();
  for (const end of due) await end();
}

/** Undoes the changes of a test file to this process. */
export async function restoreProcess(): Promise<void> {
  if (starting) await storeRest();
  vi.useRealTimers();
  vi.unstubAllGlobals();
  for (const name of Object.keys(process.env)) if (!(name in environment)) delete process.env[name];
  Object.assign(process.env, environment);
  if (configuration.config !== config) configuration.replaceConfig(config);
}

const driver = operations as { executeOperation: Execute };

// The remaining writes of the last test file belong to its database.
async function storeRest(): Promise<void> {
  const [{ storeNotes }, { databaseIsWithinThisProcess }] = await Promise.all([
    import('../../lib/rooms/notes.ts'),
    import('../../lib/database/within-process.ts'),
  ]);
  await storeNotes();
  databaseIsWithinThisProcess(isEmbedded ? lastChange : undefined);
}

/**
 * Starts the embedded database, if the service uses it. Call this before other processes use it.
 */
export async function startDatabase(): Promise<void> {
  if (process.env.MONGODB_URI !== embeddedUri) return;
  starting ??= startEmbedded();
  await starting;
}

let starting: Promise<void> | undefined;

async function startEmbedded(): Promise<void> {
  const [{ startDatabase: start }, { callDirectly }, { isAlone }] = await Promise.all([
    import('embedded-mongodb'),
    import('../../lib/database/direct-calls.ts'),
    import('../../lib/base/deadline.ts'),
  ]);
  const running = await start({
    dataDir,
    intercept: (handle) => (message, connection, done) => {
      for (const watch of watchers) watch(message.body);
      handle(message, connection, done);
    },
  });
  const connection = running.connect({ isAlone });
  ({ lastChange } = connection);
  driver.executeOperation = execute;
  callDirectly(connection);
  execute = driver.executeOperation;
  driver.executeOperation = executePrepared;
}

/** The last change of each collection of the embedded database. */
export let lastChange: LastChange;

/** A command to the embedded database: its fields in order, starting with its name. */
export type GotCommand = ReadonlyMap<string, unknown>;

/** The functions that are called with each command to the embedded database. */
export const watchers = new Set<(command: GotCommand) => void>();

/** The functions that are called with each command of the driver. */
export const commandWatchers = new Set<(command: Document) => void>();

type Operation = { ns: { db: string }; buildCommand: (...parameters: unknown[]) => Document };
type Execute = (client: MongoClient, operation: Operation, ...options: unknown[]) => Promise<unknown>;

let execute = driver.executeOperation;
const preparing = new AsyncLocalStorage<true>();
const prepared = new Map<string, Promise<unknown>>();

/**
 * The driver's function, which prepares each database of the service before its first operation.
 */
const executePrepared: Execute = async (client, operation, ...options) => {
  if (!preparing.getStore()) await prepare(client, operation.ns.db);
  if (commandWatchers.size > 0) {
    const { buildCommand } = operation;
    operation.buildCommand = (...parameters) => {
      const command = buildCommand.apply(operation, parameters);
      for (const watch of commandWatchers) watch(command);
      return command;
    };
  }
  return execute(client, operation, ...options);
};
driver.executeOperation = executePrepared;

/** Leaves a database of the service without indexes. */
export const leaveUnprepared = (name: string): void => void prepared.set(name, Promise.resolve());

async function prepare(client: MongoClient, name: string): Promise<void> {
  const { client: ofService, database } = await import('../../lib/database/client.ts');
  if (client !== ofService) return;
  await startDatabase();
  if (name !== database.databaseName) return;
  const { ensureIndexes } = await import('../../lib/operating/prepare.ts');
  const made = prepared.get(name) ?? preparing.run(true, () => connect(client).then(ensureIndexes));
  prepared.set(name, made);
  made.catch(() => prepared.delete(name));
  await made;
}

/** Connects a client. On a busy machine, the first attempts may time out. */
async function connect(client: MongoClient, attempts = 5): Promise<unknown> {
  return client.connect().catch((error) => (attempts > 1 ? connect(client, attempts - 1) : Promise.reject(error)));
}
