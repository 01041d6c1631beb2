import { Int32 } from 'bson';
import { arrayArg, collectionName, docArg, required } from '../protocol/args.ts';
import type { Command, CommandEntry, Database, Work } from '../protocol/command.ts';
import { reply } from '../protocol/replies.ts';
import { firstBatch } from '../read/cursor-replies.ts';
import type { Collection, CollectionIndex } from '../storage/collection.ts';
import { encode } from '../values/bson.ts';
import { equals } from '../values/compare.ts';
import { DatabaseError } from '../values/errors.ts';
import { type Doc, isDoc, type Value } from '../values/value.ts';
import { indexOptions, normalised } from './index-specs.ts';

/** MongoDB's limit on the indexes of a collection. */
const maxIndexes = 64;

function createIndexes({ catalog }: Database, command: Command): Doc {
  const { args, db } = command;
  const name = collectionName(command);
  const specs = required(arrayArg(args, 'indexes'), 'createIndexes.indexes').map((spec) => normalised(spec));
  if (specs.length === 0) throw new DatabaseError(2, 'Must specify at least one index to create');
  const existing = catalog.get(db, name);
  const collection = existing ?? catalog.create(db, name);
  const before = collection.indexes.length;
  const wanted = specs.filter((spec) => !isThere(collection, spec));
  if (before + wanted.length > maxIndexes)
    throw new DatabaseError(67, `add index fails, too many indexes for ${collection.namespace}`);
  for (const spec of wanted) collection.fill(catalog.addIndex(collection, spec));
  return reply([
    ['numIndexesBefore', new Int32(before)],
    ['numIndexesAfter', new Int32(collection.indexes.length)],
    ['createdCollectionAutomatically', existing === undefined],
    ...(wanted.length === 0 ? [['note', 'all indexes already exist'] as const] : []),
  ]);
}

/**
 * True if the same index exists. Throws if an existing index has the same name or the same fields,
 * but differs otherwise.
 */
function isThere(collection: Collection, spec: Doc): boolean {
  const name = spec.get('name') as string;
  const pattern = spec.get('key') as Doc;
  if (pattern.size === 1 && pattern.has('_id')) return true;
  const samePattern = collection.indexes.filter((index) => equals(index.pattern, pattern));
  const same = samePattern.find((index) => sameOptions(index.spec, spec));
  if (same === undefined && pattern.has('_fts') && collection.text !== undefined)
    throw new DatabaseError(85, 'An equivalent index already exists: only one text index per collection allowed');
  if (same !== undefined && same.name === name) return true;
  if (collection.indexes.some((index) => index.name === name)) {
    const message = `An existing index has the same name as the requested index. When index names are not specified, they are auto generated and can cause conflicts. Please refer to our documentation. Requested index: ${name}`;
    throw new DatabaseError(86, message);
  }
  if (same !== undefined) throw new DatabaseError(85, `Index already exists with a different name: ${same.name}`);
  const distinguishing = ['unique', 'sparse', 'partialFilterExpression'];
  const conflict = samePattern.find((index) =>
    distinguishing.every((option) => equals(index.spec.get(option), spec.get(option))),
  );
  if (conflict !== undefined)
    throw new DatabaseError(
      85,
      `An equivalent index already exists with a different name and options. Requested index: ${name}, existing index: ${conflict.name}`,
    );
  return false;
}

function sameOptions(a: Doc, b: Doc): boolean {
  return indexOptions.every((option) => equals(a.get(option), b.get(option)));
}

function dropIndexes({ catalog }: Database, command: Command): Doc {
  const name = collectionName(command);
  const collection = catalog.get(command.db, name);
  if (collection === undefined) throw new DatabaseError(26, `ns not found ${command.db}.${name}`);
  for (const index of indexesToDrop(collection, command.args.get('index'))) catalog.dropIndex(collection, index);
  return reply([]);
}

function indexesToDrop(collection: Collection, which: Value | undefined): CollectionIndex[] {
  if (which === '*') return collection.indexes.filter(({ name }) => name !== '_id_');
  return (Array.isArray(which) ? which : [which]).map((one) => {
    const index = collection.indexes.find(({ name, pattern }) => name === one || (isDoc(one) && equals(pattern, one)));
    if (index === undefined) {
      const what = isDoc(one) ? "can't find index with key" : `index not found with name [${String(one)}]`;
      throw new DatabaseError(27, what);
    }
    if (index.name === '_id_') throw new DatabaseError(72, 'cannot drop _id index');
    return index;
  });
}

function listIndexes(database: Database, command: Command): Work {
  const { args, db } = command;
  const name = collectionName(command);
  const collection = database.catalog.get(db, name);
  if (collection === undefined) throw new DatabaseError(26, `ns does not exist: ${db}.${name}`);
  const batchSize = docArg(args, 'cursor')?.get('batchSize');
  return firstBatch(database, command, {
    namespace: collection.namespace,
    documents: collection.indexes.map(({ spec }) => encode(spec)).values(),
    collection: undefined,
    batchSize: batchSize === undefined ? undefined : Number(String(batchSize)),
  });
}

/** Commands on indexes. */
export const indexCommands: Readonly<Record<string, CommandEntry>> = {
  createIndexes: { handle: createIndexes, fields: ['indexes', 'commitQuorum'], atomic: true },
  dropIndexes: { handle: dropIndexes, fields: ['index'], atomic: true },
  listIndexes: { handle: listIndexes, fields: ['cursor'] },
};
