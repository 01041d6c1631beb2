import { type DatabaseProcess, launchDatabase } from 'embedded-mongodb/launch';
import { MongoClient } from 'mongodb';
import { withDirectory } from './database.ts';
import { embeddedOperations, fill } from './embedded-operations.ts';
import type { Bench, Figure } from './figure.ts';
import { processorMillis, residentMegabytes } from './measure.ts';

const databaseName = 'bench_embedded';

/** Measures the embedded database, and as a yardstick the one that `ENGINE_URI` names. */
export const embedded = (bench: Bench): Promise<Figure[]> => withDirectory((directory) => measureIn(directory, bench));

async function measureIn(dataDir: string, bench: Bench): Promise<Figure[]> {
  let database = await launchDatabase({ dataDir });
  const figures: Figure[] = [];
  const memory = (when: string) => {
    const value = residentMegabytes(database.pid);
    if (value !== undefined) figures.push({ name: `memory ${when}`, unit: 'MB', value });
  };
  try {
    memory('at the start');
    await withSystems(database, async (own, engine) => {
      for (const [name, client] of Object.entries({ embedded: own, engine })) {
        if (client) await fill(client.db(databaseName), bench, name);
      }
      memory(`with ${bench.messages} messages`);
      for (const { name, unit, goal, goalOfProcessor, run } of embeddedOperations) {
        bench.progress(`embedded: ${name}`);
        const before = processorMillis(database.pid);
        const { value, calls } = await run(own.db(databaseName), bench);
        const after = processorMillis(database.pid);
        const reference = engine && (await run(engine.db(databaseName), bench)).value;
        figures.push({ name, unit, value, ...(reference !== undefined && { reference }), ...(goal && { goal }) });
        if (before === undefined || after === undefined) continue;
        figures.push({
          name: `${name}: processor time of the database`,
          unit: 'us',
          value: ((after - before) * 1000) / calls,
          ...(goalOfProcessor !== undefined && { goal: { of: 'value', atMost: goalOfProcessor } }),
        });
      }
      memory('at the end');
    });
    await database.close();
    for (const after of ['a clean end', 'kill -9']) {
      bench.progress(`start after ${after}`);
      const since = performance.now();
      database = await launchDatabase({ dataDir });
      await withClient(database.uri, (client) => client.db(databaseName).command({ ping: 1 }));
      const millis = performance.now() - since;
      figures.push({ name: `start after ${after}`, unit: 'ms', value: millis, goal: { of: 'value', atMost: 2000 } });
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
  use: (embedded: MongoClient, engine?: MongoClient) => Promise<void>,
): Promise<void> {
  await withClient(database.uri, async (embedded) => {
    const engineUri = process.env.ENGINE_URI;
    if (!engineUri) return use(embedded);
    await withClient(engineUri, async (engine) => {
      await use(embedded, engine);
      await engine.db(databaseName).dropDatabase();
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
