import { compileFilter } from '../match/filter.ts';
import { boolArg, collectionName, docArg } from '../protocol/args.ts';
import type { Command, CommandEntry, Database, Work } from '../protocol/command.ts';
import { reply } from '../protocol/replies.ts';
import { firstBatch } from '../read/cursor-replies.ts';
import type { Collection } from '../storage/collection.ts';
import { encode } from '../values/bson.ts';
import type { Doc, Value } from '../values/value.ts';

function create({ catalog }: Database, command: Command): Doc {
  const name = collectionName(command);
  if (catalog.get(command.db, name) === undefined) catalog.create(command.db, name);
  return reply([]);
}

function drop({ catalog }: Database, command: Command): Doc {
  const name = collectionName(command);
  const collection = catalog.get(command.db, name);
  if (collection !== undefined) catalog.drop(collection);
  return reply([['ns', `${command.db}.${name}`]]);
}

function dropDatabase({ catalog }: Database, { db }: Command): Doc {
  const collections = catalog.inDatabase(db);
  for (const collection of collections) catalog.drop(collection);
  return reply(collections.length > 0 ? [['dropped', db]] : []);
}

function listCollections(database: Database, command: Command): Work {
  const { args, db } = command;
  const filter = compileFilter(docArg(args, 'filter') ?? new Map());
  const nameOnly = boolArg(args, 'nameOnly') === true;
  const listed = database.catalog.inDatabase(db).filter((collection) => filter.matches(entry(collection)));
  const cursor = docArg(args, 'cursor');
  return firstBatch(database, command, {
    namespace: `${db}.$cmd.listCollections`,
    documents: listed.map((collection) => encode(nameOnly ? shortEntry(collection) : entry(collection))).values(),
    collection: undefined,
    batchSize: cursor?.has('batchSize') ? Number(String(cursor.get('batchSize'))) : undefined,
  });
}

function shortEntry({ identity: { name } }: Collection): Doc {
  return new Map([
    ['name', name],
    ['type', 'collection'],
  ]);
}

function entry(collection: Collection): Doc {
  return new Map<string, Value>([
    ...shortEntry(collection),
    ['options', new Map()],
    [
      'info',
      new Map<string, Value>([
        ['readOnly', false],
        ['uuid', collection.identity.uuid],
      ]),
    ],
    ['idIndex', collection.indexes[0]?.spec as Doc],
  ]);
}

/** Commands on whole collections and databases. */
export const collectionCommands: Readonly<Record<string, CommandEntry>> = {
  create: { handle: create, fields: [], atomic: true },
  drop: { handle: drop, fields: [], atomic: true },
  dropDatabase: { handle: dropDatabase, fields: [], atomic: true },
  listCollections: { handle: listCollections, fields: ['filter', 'nameOnly', 'cursor', 'authorizedCollections'] },
};
