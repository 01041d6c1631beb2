import { arrayArg, collectionName, docArg, required } from '../protocol/args.ts';
import type { Command, CommandEntry, Database, Work } from '../protocol/command.ts';
import { DatabaseError } from '../values/errors.ts';
import { firstBatch } from './cursor-replies.ts';
import { contextOf, whole } from './find.ts';
import { prepareStages, type ReadPlan } from './read.ts';

function aggregate(database: Database, command: Command): Work {
  const { args, db } = command;
  const cursor = docArg(args, 'cursor');
  if (cursor === undefined) throw new DatabaseError(9, "The 'cursor' option is required");
  const stages = required(arrayArg(args, 'pipeline'), 'aggregate.pipeline');
  if (typeof args.get('aggregate') !== 'string') throw new DatabaseError(73, 'pipelines without a collection are not supported');
  const name = collectionName(command);
  const read = prepareStages(database, db, name, stages, contextOf(command));
  return firstBatch(database, command, {
    namespace: `${db}.${name}`,
    collection: read.collection,
    documents: encoded(read),
    batchSize: cursor.has('batchSize') ? Number(String(cursor.get('batchSize'))) : undefined,
  });
}

function* encoded({ rows, collection }: ReadPlan): Generator<Uint8Array | undefined> {
  for (const row of rows()) yield row && whole(row, collection);
}

/** The command `aggregate`. */
export const aggregateCommands: Readonly<Record<string, CommandEntry>> = {
  aggregate: { handle: aggregate, fields: ['pipeline', 'cursor'] },
};
