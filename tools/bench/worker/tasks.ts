import { MongoClient } from 'mongodb';
import { config } from '../../../lib/config.ts';
import { clientOptions } from '../../../lib/database/client.ts';
import { medianRates } from '../measure.ts';
import { invocationOf, type Operation, prepared } from '../operations.ts';
import { fill } from './fill.ts';
import { fillForAttacks } from './fill-for-attacks.ts';
import { fillForPush } from './fill-for-push.ts';
import { type Plan, record } from './record.ts';
import { replay } from './replay.ts';

/** How long each call took, in milliseconds. */
type Times = number[];

/** The tasks of a worker. */
export const tasks = { fill, fillForAttacks, fillForPush, record, invocationOf, time, compare, compareRates };

export type Tasks = typeof tasks;

/** Calls a function repeatedly, one call after the other. */
async function time(operation: Operation, repeats: number): Promise<Times> {
  const call = await prepared(operation);
  const times: Times = [];
  for (let i = 0; i < repeats; i++) times.push(await call());
  return times;
}

/** The same, alternating with the bare driver, which makes the same round trips and nothing else. */
async function compare(operation: Operation, plan: Plan, repeats: number): Promise<{ service: Times; driver: Times }> {
  return withBareDriver(async (driver) => {
    const service = await prepared(operation);
    const bare = () => timed(() => replay(driver.db(config.mongodbDatabase), plan));
    const found: { service: Times; driver: Times } = { service: [], driver: [] };
    for (let i = 0; i < repeats; i++) {
      // Each of them comes first every other time.
      if (i % 2 === 0) found.service.push(await service());
      found.driver.push(await bare());
      if (i % 2 === 1) found.service.push(await service());
    }
    return found;
  });
}

/** Calls per second of both with `concurrency` calls at a time, measured alternately. */
async function compareRates(operation: Operation, plan: Plan, repeats: number, concurrency: number) {
  return withBareDriver(async (driver) => {
    const service = await prepared(operation);
    const bare = () => replay(driver.db(config.mongodbDatabase), plan);
    return medianRates(5, Math.ceil(repeats / 5), concurrency, { service, driver: bare });
  });
}

async function withBareDriver<T>(use: (driver: MongoClient) => Promise<T>): Promise<T> {
  const driver = new MongoClient(config.mongodbUri, clientOptions);
  try {
    return await use(driver);
  } finally {
    await driver.close();
  }
}

async function timed(call: () => Promise<unknown>): Promise<number> {
  const since = performance.now();
  await call();
  return performance.now() - since;
}
