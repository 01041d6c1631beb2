import { type Db, MongoClient, type MongoClientOptions } from 'mongodb';
import { config, followConfig, fromConfig } from '../settings/config.ts';
import { checkConnectionString } from './connection-rules.ts';
import { connectAfterFailure } from './driver-fix.ts';

/**
 * Every stage of a database call has its own limit, so that no call outlasts a request. `timeoutMS`
 * is not used: before driver 7.8.0 it could give a caller the answer to another call
 * (CVE-2026-119179). Since then it does nothing.
 */
export const clientOptions = fromConfig(
  ({ mongodbPoolSize, patienceMs }) =>
    ({
      appName: 'chat-service',
      maxPoolSize: mongodbPoolSize,
      minPoolSize: 0,
      maxIdleTimeMS: 60_000,
      serverSelectionTimeoutMS: patienceMs.database,
      connectTimeoutMS: patienceMs.database,
      socketTimeoutMS: 4_000,
      // A function handles one request at a time, which waits as long as for a new connection. A
      // server has a larger pool, and its concurrent requests may queue.
      waitQueueTimeoutMS: mongodbPoolSize > 5 ? 5_000 : patienceMs.database,
      retryWrites: true,
      retryReads: true,
      writeConcern: { w: 'majority', journal: true },
      readConcern: { level: 'majority' },
      ignoreUndefined: true,
    }) as const satisfies MongoClientOptions,
);

/** The client of this process. It connects with the first call, and again after a failure. */
export let client: MongoClient;

/** The service's database. */
export let database: Db;

/** Creates a client that connects with its first call, and again if that fails. */
export const createClient = (uri: string, options: MongoClientOptions): MongoClient =>
  connectAfterFailure(new MongoClient(uri, options));

const clients = new Map<string, MongoClient>();

// Another address, pool size or timeout needs another client.
followConfig(() => {
  const key = JSON.stringify([config.mongodbUri, config.mongodbPoolSize, config.patienceMs.database]);
  client = clients.get(key) ?? createClient(checkConnectionString(config.mongodbUri), clientOptions());
  clients.set(key, client);
  database = client.db(config.mongodbDatabase);
});
