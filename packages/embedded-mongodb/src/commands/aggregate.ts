import { DatabaseError } from '../query/errors.ts';
import { type Output, splitOutput } from '../query/output-stage.ts';
import { compilePipeline } from '../query/pipeline.ts';
import { isDoc, type Value } from '../query/value.ts';
import type { Reply } from '../wire/reply.ts';
import { arrayArg, boolArg, collectionName, docArg, required } from './args.ts';
import type { Command, CommandEntry, Database } from './command.ts';
import { contextOf } from './context.ts';
import { firstBatch } from './cursor-replies.ts';
import { explained } from './explain.ts';
import { writeOutput } from './output.ts';
import { hintArg } from './query.ts';
import { pipelineContext, prepareStages, type Read, results } from './read.ts';
import { serverStage } from './server-stages.ts';

function aggregate(database: Database, command: Command): Reply {
  const { args, db, name } = command;
  if (boolArg(args, 'explain') === true) return explained(database, command, false);
  const cursor = docArg(args, 'cursor');
  if (cursor === undefined)
    throw new DatabaseError(9, "The 'cursor' option is required, except for aggregate with the explain argument");
  const { stages, output } = splitOutput(required(arrayArg(args, 'pipeline'), 'aggregate.pipeline'));
  const onCollection = typeof args.get(name) === 'string';
  const read = sourceOf(database, command, stages);
  return firstBatch(database, command, {
    namespace: `${db}.${onCollection ? args.get(name) : '$cmd.aggregate'}`,
    collection: output === undefined ? read.collection : undefined,
    documents: output === undefined ? encoded(read) : written(database, command, read, output),
    batchSize: cursor.has('batchSize') ? Number(String(cursor.get('batchSize'))) : undefined,
  });
}

type Source = Pick<Read, 'collection' | 'rows'>;

/** What a pipeline runs over: a collection, or the documents that its first stage brings. */
function sourceOf(database: Database, command: Command, stages: readonly Value[]): Source {
  const { args, db, name } = command;
  const context = contextOf(command);
  const documents = serverStage(database, command, stages[0]);
  if (documents === undefined && typeof args.get(name) === 'string')
    return prepareStages(database, db, collectionName(command), stages, hintArg(args), context);
  const [first = ''] = isDoc(stages[0]) ? stages[0].keys() : [];
  if (documents === undefined && first !== '$documents')
    throw new DatabaseError(73, `{aggregate: 1} is not valid for '${first}'; a collection is required.`);
  const rest = documents === undefined ? stages : stages.slice(1);
  const pipeline = compilePipeline(rest, pipelineContext(database, db, context));
  return { collection: undefined, rows: () => results(pipeline.run(documents ?? [])) };
}

function* encoded({ rows }: Source): Generator<Uint8Array> {
  for (const { document } of rows()) yield document;
}

/** Everything is read before anything is written, for a pipeline may write to what it reads. */
function written(database: Database, command: Command, { rows }: Source, output: Output): Iterator<Uint8Array> {
  writeOutput(
    database,
    command,
    output,
    Array.from(rows(), ({ doc }) => doc),
  );
  return [].values();
}

/** Runs pipelines. */
export const aggregateCommands: Readonly<Record<string, CommandEntry>> = {
  aggregate: {
    handle: aggregate,
    fields: ['pipeline', 'cursor', 'explain', 'allowDiskUse', 'bypassDocumentValidation', 'collation', 'hint', 'let'],
  },
};
