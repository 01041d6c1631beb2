import { Double, Int32 } from 'bson';
import { refuseCollation } from '../plan/collation.ts';
import { encode } from '../query/bson.ts';
import { equals } from '../query/compare.ts';
import { DatabaseError, notSupported } from '../query/errors.ts';
import { compileFilter } from '../query/match.ts';
import { compilePipeline } from '../query/pipeline.ts';
import { type Doc, isDoc, type Value } from '../query/value.ts';
import type { Collection } from '../storage/collection.ts';
import { namespaceParts } from '../storage/names.ts';
import { arrayArg, boolArg, collectionName, docArg, required, stringArg } from './args.ts';
import type { Command, CommandEntry, Database } from './command.ts';
import { contextOf } from './context.ts';
import { firstBatch } from './cursor-replies.ts';
import { pipelineContext } from './read.ts';
import { reply } from './replies.ts';

/** Options of `create` that are kept and shown again. */
const KEPT_OPTIONS = ['validator', 'validationLevel', 'validationAction', 'viewOn', 'pipeline'];

function create(database: Database, command: Command): Doc {
  const { catalog } = database;
  const { args, db } = command;
  const name = collectionName(command);
  for (const option of ['capped', 'timeseries', 'clusteredIndex', 'encryptedFields', 'changeStreamPreAndPostImages']) {
    const value = args.get(option);
    if (value !== undefined && value !== false) throw notSupported(`collections with the option '${option}' are not supported`);
  }
  refuseCollation(args);
  const options: Doc = new Map([...args].filter(([option]) => KEPT_OPTIONS.includes(option)));
  checkOptions(options);
  // A view that could not be read is refused now.
  if (options.has('viewOn'))
    compilePipeline(arrayArg(options, 'pipeline') ?? [], pipelineContext(database, db, contextOf(command)));
  const existing = catalog.get(db, name);
  if (existing !== undefined) {
    if (equals(existing.options, options)) return reply([]);
    throw new DatabaseError(48, `namespace ${db}.${name} already exists, but with different options`);
  }
  catalog.create(db, name, options);
  return reply([]);
}

function checkOptions(options: Doc): void {
  const validator = docArg(options, 'validator');
  if (validator !== undefined) compileFilter(validator);
  const level = stringArg(options, 'validationLevel') ?? 'strict';
  const action = stringArg(options, 'validationAction') ?? 'error';
  if (!['off', 'strict', 'moderate'].includes(level))
    throw new DatabaseError(2, `Enumeration value '${level}' for field 'validationLevel' is not a valid value.`);
  if (!['error', 'warn'].includes(action))
    throw new DatabaseError(2, `Enumeration value '${action}' for field 'validationAction' is not a valid value.`);
  const viewOn = stringArg(options, 'viewOn');
  const pipeline = arrayArg(options, 'pipeline');
  if (pipeline !== undefined && viewOn === undefined)
    throw new DatabaseError(72, "'pipeline' requires 'viewOn' to also be specified");
}

function drop({ catalog }: Database, command: Command): Doc {
  const name = collectionName(command);
  const collection = catalog.get(command.db, name);
  if (collection === undefined) return reply([['ns', `${command.db}.${name}`]]);
  const indexes = new Int32(collection.indexes.length);
  catalog.drop(collection);
  return reply([
    ['nIndexesWas', indexes],
    ['ns', collection.namespace],
  ]);
}

function dropDatabase({ catalog }: Database, { db }: Command): Doc {
  const collections = catalog.inDatabase(db);
  for (const collection of collections) catalog.drop(collection);
  return reply(collections.length > 0 ? [['dropped', db]] : []);
}

function renameCollection({ catalog }: Database, { args }: Command): Doc {
  const [fromDb, from] = namespaceParts(required(stringArg(args, 'renameCollection'), 'renameCollection'));
  const [toDb, to] = namespaceParts(required(stringArg(args, 'to'), 'renameCollection.to'));
  const collection = catalog.get(fromDb, from);
  if (collection === undefined) throw new DatabaseError(26, `Source collection ${fromDb}.${from} does not exist`);
  if (fromDb === toDb && from === to) throw new DatabaseError(20, "Can't rename a collection to itself");
  const existing = catalog.get(toDb, to);
  if (existing !== undefined && boolArg(args, 'dropTarget') !== true) throw new DatabaseError(48, 'target namespace exists');
  if (existing !== undefined) catalog.drop(existing);
  catalog.rename(collection, toDb, to);
  return reply([]);
}

function listCollections(database: Database, command: Command): Buffer[] {
  const { args, db } = command;
  const filter = compileFilter(docArg(args, 'filter') ?? new Map());
  const nameOnly = boolArg(args, 'nameOnly') === true;
  const listed = database.catalog
    .inDatabase(db)
    .map((collection) => ({ shown: nameOnly ? shortEntry(collection) : entry(collection), full: entry(collection) }))
    .filter(({ full }) => filter.matches(full));
  const cursor = docArg(args, 'cursor');
  return firstBatch(database, command, {
    namespace: `${db}.$cmd.listCollections`,
    documents: listed.map(({ shown }) => encode(shown)).values(),
    collection: undefined,
    batchSize: cursor?.has('batchSize') ? Number(String(cursor.get('batchSize'))) : undefined,
  });
}

function shortEntry(collection: Collection): Doc {
  return new Map<string, Value>([
    ['name', collection.identity.name],
    ['type', collection.options.has('viewOn') ? 'view' : 'collection'],
  ]);
}

function entry(collection: Collection): Doc {
  const view = collection.options.has('viewOn');
  const info: Doc = new Map<string, Value>([['readOnly', view]]);
  if (!view) info.set('uuid', collection.identity.uuid);
  const fields = shortEntry(collection).set('options', collection.options).set('info', info);
  return view ? fields : fields.set('idIndex', collection.indexes[0]?.spec as Doc);
}

function listDatabases({ catalog }: Database, { args }: Command): Doc {
  const filter = compileFilter(docArg(args, 'filter') ?? new Map());
  const nameOnly = boolArg(args, 'nameOnly') === true;
  const names = [...new Set(catalog.all().map(({ db }) => db))].sort();
  const full = names.map((name) => {
    const size = nameOnly ? 0 : catalog.inDatabase(name).reduce((sum, collection) => sum + collection.totals().size, 0);
    return new Map<string, Value>([
      ['name', name],
      ['sizeOnDisk', new Double(size)],
      ['empty', false],
    ]);
  });
  const listed = full.filter((info) => filter.matches(info));
  if (nameOnly) return reply([['databases', listed.map((info) => new Map([['name', info.get('name') as Value]]))]]);
  const total = listed.reduce((sum, info) => sum + Number(String(info.get('sizeOnDisk'))), 0);
  return reply([
    ['databases', listed],
    ['totalSize', new Double(total)],
  ]);
}

function collMod({ catalog }: Database, command: Command): Doc {
  const { args, db } = command;
  const name = collectionName(command);
  const collection = catalog.get(db, name);
  if (collection === undefined) throw new DatabaseError(26, `ns does not exist: ${db}.${name}`);
  const index = docArg(args, 'index');
  const changes = new Map([...args].filter(([option]) => KEPT_OPTIONS.includes(option)));
  checkOptions(changes);
  if (changes.size > 0) catalog.setOptions(collection, new Map([...collection.options, ...changes]));
  return reply(index === undefined ? [] : changeIndex({ catalog }, catalog.get(db, name) as Collection, index));
}

/** The two things about an index that can change without building it again. */
function changeIndex({ catalog }: Pick<Database, 'catalog'>, collection: Collection, change: Doc): [string, Value][] {
  const pattern = change.get('keyPattern');
  const index = collection.indexes.find(
    ({ name, pattern: own }) => name === change.get('name') || (isDoc(pattern) && equals(own, pattern)),
  );
  if (index === undefined) throw new DatabaseError(27, `cannot find index for ns ${collection.namespace}`);
  const spec = new Map(index.spec);
  const shown: [string, Value][] = [];
  for (const option of ['hidden', 'expireAfterSeconds']) {
    const value = change.get(option);
    if (value === undefined) continue;
    if (option === 'hidden' && index.name === '_id_') throw new DatabaseError(2, "can't hide _id index");
    shown.push([`${option}_old`, spec.get(option) ?? false], [`${option}_new`, value]);
    spec.set(option, value);
  }
  if (spec.get('hidden') === false) spec.delete('hidden');
  catalog.replaceIndexSpec(collection, index, spec);
  return shown;
}

/** The commands about collections and databases as wholes. */
export const collectionCommands: Readonly<Record<string, CommandEntry>> = {
  create: {
    handle: create,
    atomic: true,
    fields: [
      ...KEPT_OPTIONS,
      'capped',
      'timeseries',
      'clusteredIndex',
      'encryptedFields',
      'changeStreamPreAndPostImages',
      'size',
      'max',
      'storageEngine',
      'indexOptionDefaults',
      'collation',
      'idIndex',
      'expireAfterSeconds',
    ],
  },
  drop: { handle: drop, fields: [], atomic: true },
  dropDatabase: { handle: dropDatabase, fields: [], atomic: true },
  renameCollection: { handle: renameCollection, fields: ['to', 'dropTarget'], atomic: true },
  listCollections: { handle: listCollections, fields: ['filter', 'nameOnly', 'cursor', 'authorizedCollections'] },
  listDatabases: { handle: listDatabases, fields: ['filter', 'nameOnly', 'authorizedDatabases'] },
  collMod: { handle: collMod, fields: [...KEPT_OPTIONS, 'index'], atomic: true },
};
