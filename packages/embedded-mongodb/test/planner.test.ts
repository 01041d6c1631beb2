import { Int32, ObjectId } from 'bson';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compileSort } from '../src/match/sort.ts';
import { encode } from '../src/values/bson.ts';
import { type Doc, isDoc, type Value } from '../src/values/value.ts';
import { collections, doc, filters, scalars, sorts, updates } from './query/arbitraries.ts';
import { runs } from './support/all-values.ts';
import { indexedPaths, indexes } from './support/arbitrary-indexes.ts';
import { freshCollection, freshDatabase, freshDirectory } from './support/database.ts';
import { faultsOfStoredData } from './support/stored-check.ts';
import { connectWire, type WireClient } from './support/wire-client.ts';

const testDatabase = 'planned';
const hour = 3_600_000;

/**
 * Filters that suit indexes, in addition to general ones: equality first, then a range. Many of
 * their values exist in the data.
 */
const simpleFilters = fc
  .uniqueArray(
    fc.tuple(
      indexedPaths,
      fc.oneof(
        { weight: 3, arbitrary: scalars },
        { weight: 2, arbitrary: fc.tuple(fc.constantFrom('$gt', '$gte', '$lt', '$lte'), scalars).map((entry) => doc(entry)) },
        { weight: 1, arbitrary: fc.array(scalars, { maxLength: 3 }).map((list) => doc(['$in', list])) },
        { weight: 1, arbitrary: fc.boolean().map((exists) => doc(['$exists', exists])) },
        { weight: 1, arbitrary: fc.tuple(scalars, scalars).map(([low, high]) => doc(['$gte', low], ['$lt', high])) },
      ),
    ),
    { selector: ([path]) => path, maxLength: 3 },
  )
  .map((fields): Doc => new Map(fields));

const simpleSorts = fc
  .uniqueArray(fc.tuple(indexedPaths, fc.constantFrom(1, -1)), { selector: ([path]) => path, minLength: 1, maxLength: 3 })
  .map((parts): Doc => new Map(parts.map(([path, direction]) => [path, new Int32(direction)])));

const queries = fc.record({
  filter: fc.oneof(filters, simpleFilters),
  sort: fc.option(fc.oneof(sorts, simpleSorts), { nil: undefined }),
  skip: fc.option(fc.nat(2), { nil: undefined }),
  limit: fc.option(fc.integer({ min: 1, max: 4 }), { nil: undefined }),
});

const cases = fc.record({
  docs: collections,
  later: collections,
  indexes,
  changes: fc.array(fc.tuple(filters, updates), { maxLength: 2 }),
  removed: fc.option(filters, { nil: undefined }),
  queries: fc.array(queries, { minLength: 4, maxLength: 8 }),
});

describe('the planner', () => {
  it('the planner finds the same documents by an index as by a scan', { timeout: hour }, async () => {
    const dataDir = freshDirectory();
    const database = await freshDatabase({ dataDir });
    const client = await connectWire(database.uri);
    let made = 0;
    let byIndex = 0;
    await fc.assert(
      fc.asyncProperty(cases, async (given) => {
        const name = `c${made++}`;
        const docs = given.docs.concat(given.later.map((fields, i) => new Map([...fields, ['_id', new Int32(100 + i)]])));
        await client.exact(testDatabase, doc(['insert', name], ['documents', docs.slice(0, given.docs.length)]));
        for (const index of given.indexes) await client.exact(testDatabase, doc(['createIndexes', name], ['indexes', [index]]));
        await client.exact(testDatabase, doc(['insert', name], ['documents', docs.slice(given.docs.length)], ['ordered', false]));
        for (const [q, u] of given.changes)
          await client.exact(testDatabase, doc(['update', name], ['updates', [doc(['q', q], ['u', u], ['multi', true])]]));
        if (given.removed !== undefined)
          await client.exact(
            testDatabase,
            doc(['delete', name], ['deletes', [doc(['q', given.removed], ['limit', new Int32(1)])]]),
          );
        for (const query of given.queries) byIndex += await compareAnswers(client, name, query);
      }),
      { numRuns: runs(60) },
    );
    expect(byIndex).toBeGreaterThan(made / 2);
    client.close();
    await database.close();
    expect(await faultsOfStoredData(dataDir)).toEqual([]);
  });

  it('the planner looks up an id directly, and checks the rest of the filter on that document', async () => {
    const things = await freshCollection();
    const [one, two] = [new ObjectId(), new ObjectId()];
    await things.createIndexes([{ key: { n: 1 } }, { key: { text: 'text' }, default_language: 'none' }]);
    await things.insertMany([
      { _id: one, n: 1, text: 'owl' },
      { _id: two, n: 2, text: 'owl' },
    ]);
    const found = async (filter: object, options = {}) => (await things.find(filter, options).toArray()).map(({ n }) => n);
    expect(await found({ _id: two })).toEqual([2]);
    expect(await found({ n: { $gt: 0 }, _id: two }, { sort: { n: -1 }, limit: 5 })).toEqual([2]);
    expect(await found({ _id: two, n: 1 })).toEqual([]);
    expect(await found({ _id: two, $or: [{ n: 1 }, { n: 3 }] })).toEqual([]);
    expect(await found({ _id: two, $and: [{ _id: one }] })).toEqual([]);
    expect(await found({ _id: two }, { skip: 1 })).toEqual([]);
    expect(await found({ _id: two, $text: { $search: 'owl' } })).toEqual([2]);
    expect(await found({ _id: two, $text: { $search: 'eagle' } })).toEqual([]);
    expect([await things.countDocuments({ _id: two }), await things.countDocuments({ _id: two, n: 1 })]).toEqual([1, 0]);
    expect((await things.updateOne({ _id: two, n: 1 }, { $set: { n: 5 } })).matchedCount).toBe(0);
    expect((await things.deleteMany({ _id: two, n: 2 })).deletedCount).toBe(1);
    expect(await found({ _id: two })).toEqual([]);
  });

  it('the planner does not look up every combination of long lists of values', async () => {
    const client = await connectWire((await freshDatabase()).uri);
    const key = { a: 1, b: 1, c: 1 };
    await client.command(testDatabase, { createIndexes: 'many', indexes: [{ name: 'abc', key }] });
    await client.command(testDatabase, { insert: 'many', documents: [{ _id: 1, a: 1, b: 1, c: 1 }] });
    const list = Array.from({ length: 200 }, (_, i) => i);
    const filter = { a: { $in: list }, b: { $in: list }, c: 1 };
    const { cursor } = await client.command(testDatabase, { find: 'many', filter });
    expect(cursor.firstBatch).toEqual([{ _id: 1, a: 1, b: 1, c: 1 }]);
    client.close();
  });
});

type AskedQuery = {
  readonly filter: Doc;
  readonly sort: Doc | undefined;
  readonly skip: number | undefined;
  readonly limit: number | undefined;
};

/**
 * Compares the planned query with a scan, and checks `explain`. Returns 1 if the plan uses an
 * index.
 */
async function compareAnswers(client: WireClient, name: string, query: AskedQuery): Promise<number> {
  const { filter, sort, skip, limit } = query;
  const asked = doc(['find', name], ['filter', filter]);
  if (sort !== undefined) asked.set('sort', sort);
  if (skip !== undefined) asked.set('skip', new Int32(skip));
  if (limit !== undefined) asked.set('limit', new Int32(limit));
  // The planner cannot use predicates inside `$or`, so this query scans.
  const matching = await answer(client, doc(['find', name], ['filter', doc(['$or', [filter]])]));
  const planned = await answer(client, asked);
  if (planned.code !== undefined || matching.code !== undefined) {
    expect(sort === undefined ? planned.code : matching.code).toBe(sort === undefined ? matching.code : undefined);
    return 0;
  }
  const order = compileSort(sort ?? new Map());
  const keyed = matching.docs.map((found) => order.keyOf(found)).sort(order.compareKeys);
  const wanted = keyed.slice(skip ?? 0, limit === undefined ? undefined : (skip ?? 0) + limit);
  const found = planned.docs.map(bytesOf);
  expect(found.length).toBe(wanted.length);
  expect(new Set(found).size).toBe(found.length);
  expect(matching.docs.map(bytesOf)).toEqual(expect.arrayContaining(found));
  if (sort !== undefined)
    planned.docs.forEach((document, i) => {
      expect(order.compareKeys(order.keyOf(document), wanted[i] ?? [])).toBe(0);
    });
  const countAll = [doc(['$match', filter]), doc(['$group', doc(['_id', new Int32(1)], ['n', doc(['$sum', new Int32(1)])])])];
  const counted = await answer(client, doc(['aggregate', name], ['pipeline', countAll], ['cursor', new Map()]));
  expect(Number(counted.docs[0]?.get('n') ?? 0)).toBe(matching.docs.length);
  return explained(client, asked, found.length);
}

/** Checks that the figures of `explain` fit the number of results. */
async function explained(client: WireClient, asked: Doc, found: number): Promise<number> {
  const explanation = await client.exact(testDatabase, doc(['explain', asked], ['verbosity', 'executionStats']));
  const stats = explanation.get('executionStats') as Doc;
  const [returned, documents, keys] = ['nReturned', 'totalDocsExamined', 'totalKeysExamined'].map((name) =>
    Number(stats.get(name)),
  );
  const byIndex = stages(stats.get('executionStages')).includes('IXSCAN');
  expect(returned).toBe(found);
  expect(documents).toBeGreaterThanOrEqual(found);
  if (byIndex) expect(keys).toBeGreaterThanOrEqual(documents as number);
  else expect(keys).toBe(0);
  return Number(byIndex);
}

function stages(stage: Value | undefined): Value[] {
  return isDoc(stage) ? [stage.get('stage') as Value, ...stages(stage.get('inputStage'))] : [];
}

async function answer(client: WireClient, command: Doc): Promise<{ docs: Doc[]; code?: number }> {
  const reply = await client.exact(testDatabase, command);
  if (reply.has('code')) return { docs: [], code: Number(reply.get('code')) };
  return { docs: (reply.get('cursor') as Doc).get('firstBatch') as Doc[] };
}

const bytesOf = (document: Doc) => Buffer.from(encode(document)).toString('hex');
