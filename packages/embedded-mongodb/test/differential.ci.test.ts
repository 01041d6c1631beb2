import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Int32 } from 'bson';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RunningDatabase, startDatabase } from '../src/server.ts';
import { valueKey } from '../src/storage/index/key.ts';
import { type Doc, isDoc, type Value } from '../src/values/value.ts';
import { doc } from './query/arbitraries.ts';
import { type Work, work } from './support/arbitrary-work.ts';
import { testSeed } from './support/random.ts';
import { connectWire, type WireClient } from './support/wire-client.ts';
import { workDifferences } from './support/work-differences.ts';

const uri = process.env.DIFFERENTIAL_URI ?? '';
const numRuns = Number(process.env.DIFFERENTIAL_CASES ?? 300);
const hour = 3_600_000;
const testDatabase = `differential_${process.pid}`;

describe.runIf(uri !== '')(`sequences of commands (${numRuns} with SEED=${testSeed})`, { timeout: hour }, () => {
  let dataDir: string;
  let database: RunningDatabase;
  let own: WireClient;
  let engine: WireClient;

  beforeAll(async () => {
    dataDir = mkdtempSync(join(tmpdir(), 'differential-'));
    database = await startDatabase({ dataDir });
    own = await connectWire(database.uri);
    engine = await connectWire(uri);
  });
  afterAll(async () => {
    await engine.exact(testDatabase, doc(['dropDatabase', new Int32(1)]));
    engine.close();
    own.close();
    await database.close();
    rmSync(dataDir, { recursive: true });
  });

  it('sequences of commands get the answers that the engine gives', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(work, { minLength: 4, maxLength: 12 }), async (sequence) => {
        await both(['drop']);
        for (const step of [...sequence, everything]) {
          const [ours, theirs] = await both(step);
          if (workDifferences.some(({ applies }) => applies(step, ours, theirs))) return;
          expect(ours, JSON.stringify(step)).toEqual(theirs);
        }
      }),
      { numRuns },
    );
  });

  async function both([name, ...fields]: Work): Promise<[Doc, Doc]> {
    const command = doc([name, 'work'], ...fields);
    const answers = await Promise.all([own.exact(testDatabase, command), engine.exact(testDatabase, command)]);
    return answers.map(shownReply) as [Doc, Doc];
  }
});

const everything: Work = ['find', ['filter', new Map()], ['sort', doc(['_id', new Int32(1)])]];

/** The parts of a reply that clients act upon. */
function shownReply(reply: Doc): Doc {
  const errors = (reply.get('writeErrors') as Doc[] | undefined)?.map((error) =>
    doc(['index', error.get('index') as Value], ['code', error.get('code') as Value]),
  );
  const cursor = reply.get('cursor') as Doc | undefined;
  // If equal values have several types, any of them may represent the others.
  const values = (reply.get('values') as Value[] | undefined)?.map((value) => valueKey(value).toString('hex')).sort();
  const parts: [string, Value | undefined][] = [
    ...['code', 'n', 'nModified', 'upserted', 'value', 'lastErrorObject'].map((name): [string, Value | undefined] => [
      name,
      reply.get(name),
    ]),
    ['errors', errors],
    ['values', values],
    ['documents', cursor?.get('firstBatch')],
  ];
  return new Map(parts.filter(([, value]) => value !== undefined).map(([name, value]) => [name, unordered(value as Value)]));
}

/**
 * Sorts the fields of all documents by name, because MongoDB does not specify the order of several
 * new fields.
 */
function unordered(value: Value): Value {
  if (Array.isArray(value)) return value.map(unordered);
  if (!isDoc(value)) return value;
  return new Map([...value].sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, field]) => [name, unordered(field)]));
}
