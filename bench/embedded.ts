import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MongoClient } from 'mongodb';
import { type DatabaseProcess, launchDatabase } from '../embedded/client-process.ts';
import type { Bench, Figure } from './figure.ts';
import { processorMillis, residentMegabytes } from './measure.ts';
import { fill, OPERATIONS } from './operations.ts';

const DATABASE = 'bench_embedded';

/** The embedded database, and beside it the one that `ENGINE_URI` names. */
export async function embedded(bench: Bench): Promise<Figure[]> {
  const dataDir = await mkdtemp(join(tmpdir(), 'bench-'));
  try {
    return await measureIn(dataDir, bench);
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
}

async function measureIn(dataDir: string, bench: Bench): Promise<Figure[]> {
  let database = await launchDatabase({ dataDir, port: 0 });
  const figures: Figure[] = [];
  const memory = (when: string) => {
    const value = residentMegabytes(database.pid);
    if (value !== undefined) figures.push({ name: `memory ${when}`, unit: 'MB', values: { embedded: value } });
  };
  try {
    memory('at the start');
    await withSystems(database, async (systems) => {
      for (const [name, client] of Object.entries(systems)) await fill(client.db(DATABASE), bench, name);
      memory(`with ${bench.messages} messages`);
      for (const { name, unit, goal, goalOfProcessor, run } of OPERATIONS) {
        const values: Record<string, number> = {};
        for (const [system, client] of Object.entries(systems)) {
          bench.progress(`${name}: ${system}`);
          const before = processorMillis(database.pid);
          const { value, calls } = await run(client.db(DATABASE), bench);
          const after = processorMillis(database.pid);
          values[system] = value;
          if (system !== 'embedded' || before === undefined || after === undefined) continue;
          const figure = {
            name: `  processor time of ${name}`,
            unit: 'us',
            values: { embedded: ((after - before) * 1000) / calls },
          };
          figures.push(goalOfProcessor === undefined ? figure : { ...figure, goal: { atMost: goalOfProcessor } });
        }
        figures.push(goal === undefined ? { name, unit, values } : { name, unit, values, goal });
      }
      memory('after all that');
    });
    await database.close();
    for (const after of ['a clean end', 'kill -9']) {
      bench.progress(`start after ${after}`);
      const since = performance.now();
      database = await launchDatabase({ dataDir, port: 0 });
      await withClient(database.uri, (client) => client.db(DATABASE).command({ ping: 1 }));
      const millis = performance.now() - since;
      figures.push({ name: `start after ${after}`, unit: 'ms', values: { embedded: millis }, goal: { atMost: 2000 } });
      process.kill(database.pid, 'SIGKILL');
      await database.ended;
    }
    return figures;
  } finally {
    await database.close();
  }
}

async function withSystems(
  database: DatabaseProcess,
  use: (systems: Record<string, MongoClient>) => Promise<void>,
): Promise<void> {
  await withClient(database.uri, async (embedded) => {
    const engineUri = process.env.ENGINE_URI;
    if (!engineUri) return use({ embedded });
    await withClient(engineUri, async (engine) => {
      await use({ embedded, engine });
      await engine.db(DATABASE).dropDatabase();
    });
  });
}

async function withClient<T>(uri: string, use: (client: MongoClient) => Promise<T>): Promise<T> {
  const client = new MongoClient(uri, { maxPoolSize: 64, writeConcern: { w: 'majority', journal: true } });
  try {
    return await use(client);
  } finally {
    await client.close();
  }
}
