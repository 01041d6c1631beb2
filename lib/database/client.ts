import { MongoClient, type MongoClientOptions } from 'mongodb';
import { config } from '../settings/config.ts';
import { connectionString } from './connection-string.ts';
import './driver-fix.ts';

/**
 * Every stage of a database call has its own limit, so that no call outlasts a request. `timeoutMS` is not used:
 * before driver 7.8.0 it could hand one caller's answer to another (CVE-2026-119179), since then it does nothing.
 */
export const clientOptions = {
  appName: 'chat-service',
  maxPoolSize: config.mongodbPoolSize,
  minPoolSize: 0,
  maxIdleTimeMS: 60_000,
  serverSelectionTimeoutMS: 3_000,
  connectTimeoutMS: 3_000,
  socketTimeoutMS: 4_000,
  // A function has one request at a time. A process that serves many concurrently, and has the larger pool for it,
  // lets them queue.
  waitQueueTimeoutMS: config.mongodbPoolSize > 5 ? 5_000 : 1_000,
  retryWrites: true,
  retryReads: true,
  writeConcern: { w: 'majority', journal: true },
  readConcern: { level: 'majority' },
  ignoreUndefined: true,
} as const satisfies MongoClientOptions;

/** The one client of this process; it connects with the first call, and again after a failure. */
export const client = new MongoClient(connectionString, clientOptions);

/** The service's database. */
export const database = client.db(config.mongodbDatabase);
