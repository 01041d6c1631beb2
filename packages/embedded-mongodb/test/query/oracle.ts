import { Int32 } from 'bson';
import { type Db, MongoClient } from 'mongodb';
import { compilePipeline } from '../../src/aggregate/pipeline.ts';
import { compileFilter } from '../../src/match/filter.ts';
import { compileSort } from '../../src/match/sort.ts';
import { present } from '../../src/operation.ts';
import { compileProjection } from '../../src/project/projection.ts';
import { compileUpdate } from '../../src/update/update.ts';
import { decode } from '../../src/values/bson.ts';
import { DatabaseError } from '../../src/values/errors.ts';
import type { Doc, Value } from '../../src/values/value.ts';

/** The documents of an operation, or its error code. */
export type Outcome = { docs: Doc[] } | { code: number };

/** The arguments of a find. */
export type Question = {
  filter: Doc;
  sort?: Doc;
  projection?: Doc;
};

/** An implementation of queries and updates, to be compared with another one. */
export type Oracle = {
  find(docs: readonly Doc[], question: Question): Promise<Outcome>;
  /** Updates each document on its own. A failed update gives its error code. */
  update(docs: readonly Doc[], update: Value, arrayFilters?: Value[]): Promise<(Doc | number)[]>;
  aggregate(docs: readonly Doc[], stages: Value[], others?: readonly Doc[]): Promise<Outcome>;
};

/** The functions of this package. */
export function ownOracle(): Oracle {
  return {
    find: async (docs, { filter, sort, projection = new Map() }) =>
      outcome(() => {
        const compiled = compileFilter(filter);
        const found = docs.filter((doc) => compiled.matches(doc));
        const order = compileSort(sort ?? new Map());
        const sorted = found.toSorted((a, b) => order.compareKeys(order.keyOf(a), order.keyOf(b)));
        return sorted.map(compileProjection(projection));
      }),
    update: async (docs, update, arrayFilters = []) =>
      docs.map((doc) => {
        const result = outcome(() => [compileUpdate(update as Doc, { arrayFilters }).apply(doc).doc]);
        return 'docs' in result ? (result.docs[0] as Doc) : result.code;
      }),
    aggregate: async (docs, stages, others = []) =>
      outcome(() => {
        const collection = (name: string) => (name === othersName ? others : docs);
        return [...present(compilePipeline(stages, { collection }).run(docs))];
      }),
  };
}

/** The name of the joined collection. */
export const othersName = 'others';

/** A server with MongoDB's protocol. Its database is dropped at the end. */
export async function serverOracle(uri: string, name: string): Promise<Oracle & { close(): Promise<void> }> {
  const client = await new MongoClient(uri).connect();
  const db = client.db(name);
  return {
    async find(docs, { filter, sort, projection }) {
      await fill(db, 'docs', docs);
      return ask(db, { find: 'docs', filter, ...(sort && { sort }), ...(projection && { projection }) });
    },
    async update(docs, update, arrayFilters) {
      await fill(db, 'docs', docs);
      const updates = docs.map((doc) => ({
        q: new Map([['_id', doc.get('_id')]]),
        u: update,
        ...(arrayFilters && { arrayFilters }),
      }));
      const errors = await updateErrors(db, updates);
      const after = await ask(db, { find: 'docs', filter: {}, sort: { _id: 1 } });
      if (!('docs' in after)) throw new Error(`find failed with ${after.code}`);
      return after.docs.map((doc, i) => errors.get(i) ?? doc);
    },
    async aggregate(docs, stages, others = []) {
      await fill(db, 'docs', docs);
      if (others.length > 0) await fill(db, othersName, others);
      return ask(db, { aggregate: 'docs', pipeline: stages, cursor: {} });
    },
    async close() {
      await db.dropDatabase();
      await client.close();
    },
  };
}

function outcome(run: () => Doc[]): Outcome {
  try {
    return { docs: run() };
  } catch (error) {
    if (error instanceof DatabaseError) return { code: error.code };
    throw error;
  }
}

async function fill(db: Db, name: string, docs: readonly Doc[]): Promise<void> {
  await db.command({ delete: name, deletes: [{ q: {}, limit: new Int32(0) }] });
  await db.command({ insert: name, documents: docs });
}

async function ask(db: Db, command: Record<string, unknown>): Promise<Outcome> {
  try {
    const found = (await db.runCursorCommand(command, { raw: true } as object).toArray()) as unknown as Uint8Array[];
    return { docs: found.map((bytes) => decode(bytes)) };
  } catch (error) {
    return { code: codeOf(error) };
  }
}

async function updateErrors(db: Db, updates: object[]): Promise<Map<number, number>> {
  try {
    const { writeErrors = [] } = await db.command({ update: 'docs', updates, ordered: false });
    return new Map(writeErrors.map(({ index, code }: { index: number; code: number }) => [index, code]));
  } catch (error) {
    const code = codeOf(error);
    return new Map(updates.map((_update, i) => [i, code]));
  }
}

function codeOf(error: unknown): number {
  const code = (error as { code?: unknown }).code;
  if (typeof code !== 'number') throw error;
  return code;
}
