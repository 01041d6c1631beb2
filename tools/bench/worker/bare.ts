import { readFileSync } from 'node:fs';
import { EJSON } from 'bson';
import { MongoClient } from 'mongodb';
import type { Plan } from './record.ts';
import { replay } from './replay.ts';

/* The yardstick of a cold start: the bare driver, which connects and makes the round trips of the plan in the file PLAN. */

const { MONGODB_URI = '', MONGODB_DATABASE = '', PLAN = '' } = process.env;
const plan: Plan = EJSON.parse(readFileSync(PLAN, 'utf8'));
const client = new MongoClient(MONGODB_URI, { maxPoolSize: 5, writeConcern: { w: 'majority', journal: true } });

export async function handler() {
  await replay(client.db(MONGODB_DATABASE), plan);
  return { statusCode: 200, body: '' };
}
