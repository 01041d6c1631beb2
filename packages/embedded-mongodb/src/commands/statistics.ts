import { Double, Int32 } from 'bson';
import { DatabaseError } from '../query/errors.ts';
import type { Doc, Value } from '../query/value.ts';
import { checkCollection } from '../storage/check.ts';
import { type Sizes, sizesOf } from '../storage/sizes.ts';
import { boolArg, collectionName, integerArg } from './args.ts';
import type { Command, CommandEntry, Database } from './command.ts';
import { reply } from './replies.ts';
import { refuseView } from './views.ts';

function dbStats({ catalog, file }: Database, { args, db }: Command): Doc {
  const scale = scaleOf(args);
  const all = catalog.inDatabase(db);
  const collections = all.filter(({ options }) => !options.has('viewOn'));
  const sizes = collections.map((collection) => sizesOf(file, collection));
  const sum = (of: (sizes: Sizes) => number) => sizes.reduce((total, each) => total + of(each), 0);
  const [objects, data, storage, indexes] = [
    sum(({ count }) => count),
    sum((s) => s.data),
    sum((s) => s.storage),
    sum(indexBytes),
  ];
  return reply([
    ['db', db],
    ['collections', new Int32(collections.length)],
    ['views', new Int32(all.length - collections.length)],
    ['objects', new Int32(objects)],
    ['avgObjSize', new Double(objects === 0 ? 0 : data / objects)],
    ['dataSize', new Double(data / scale)],
    ['storageSize', new Double(storage / scale)],
    ['indexes', new Int32(sum((s) => s.indexes.size))],
    ['indexSize', new Double(indexes / scale)],
    ['totalSize', new Double((storage + indexes) / scale)],
    ['scaleFactor', new Double(scale)],
  ]);
}

function collStats(database: Database, command: Command): Doc {
  const { args, db } = command;
  const name = collectionName(command);
  return reply([['ns', `${db}.${name}`], ...storageStats(database, db, name, scaleOf(args))]);
}

/** What `collStats` and the stage `$collStats` tell about a collection. */
export function storageStats({ catalog, file }: Database, db: string, name: string, scale = 1): [string, Value][] {
  const collection = catalog.get(db, name);
  refuseView(collection);
  const sizes: Sizes = collection === undefined ? NOTHING : sizesOf(file, collection);
  const total = indexBytes(sizes);
  return [
    ['size', whole(sizes.data / scale)],
    ['count', new Int32(sizes.count)],
    ...(sizes.count === 0 ? [] : ([['avgObjSize', whole(sizes.data / sizes.count)]] satisfies [string, Value][])),
    ['storageSize', whole(sizes.storage / scale)],
    ['capped', false],
    ['nindexes', new Int32(sizes.indexes.size)],
    ['indexSizes', new Map([...sizes.indexes].map(([index, bytes]) => [index, whole(bytes / scale)]))],
    ['totalIndexSize', whole(total / scale)],
    ['totalSize', whole((sizes.storage + total) / scale)],
    ['scaleFactor', new Int32(scale)],
  ];
}

function validate({ catalog, file }: Database, command: Command): Doc {
  const { args, db } = command;
  const name = collectionName(command);
  const collection = catalog.get(db, name);
  if (collection === undefined) throw new DatabaseError(26, `Collection '${db}.${name}' does not exist to validate.`);
  refuseView(collection);
  const { documents, keys, errors } = checkCollection(file, collection, boolArg(args, 'full') === true);
  return reply([
    ['ns', collection.namespace],
    ['nrecords', new Int32(documents)],
    ['nIndexes', new Int32(keys.size)],
    ['keysPerIndex', new Map([...keys].map(([index, count]) => [index, new Int32(count)]))],
    ['valid', errors.length === 0],
    ['repaired', false],
    ['warnings', []],
    ['errors', [...errors]],
  ]);
}

const NOTHING: Sizes = { count: 0, data: 0, storage: 0, indexes: new Map() };

function indexBytes({ indexes }: Sizes): number {
  return [...indexes.values()].reduce((total, bytes) => total + bytes, 0);
}

function scaleOf(args: Doc): number {
  const scale = integerArg(args, 'scale') ?? 1;
  if (scale < 1) throw new DatabaseError(51024, `BSON field 'scale' value must be >= 1, actual value '${scale}'`);
  return scale;
}

function whole(bytes: number): Value {
  return bytes < 2 ** 31 ? new Int32(Math.floor(bytes)) : new Double(Math.floor(bytes));
}

/** Tells how large things are, and whether they are whole. */
export const statisticsCommands: Readonly<Record<string, CommandEntry>> = {
  dbStats: { handle: dbStats, fields: ['scale', 'freeStorage'] },
  dbstats: { handle: dbStats, fields: ['scale', 'freeStorage'] },
  collStats: { handle: collStats, fields: ['scale'] },
  collstats: { handle: collStats, fields: ['scale'] },
  validate: { handle: validate, fields: ['full', 'repair', 'metadata', 'checkBSONConformance', 'background'] },
};
