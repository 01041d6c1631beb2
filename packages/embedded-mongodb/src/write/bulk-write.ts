import { Double, Int32 } from 'bson';
import { arrayArg, boolArg, docArg, integerArg, required, stringArg } from '../protocol/args.ts';
import type { Command, CommandEntry, Database, Work } from '../protocol/command.ts';
import { checkFields } from '../protocol/common-options.ts';
import { errorFields } from '../protocol/error-fields.ts';
import { firstBatch } from '../read/cursor-replies.ts';
import { contextOf } from '../read/find.ts';
import { namespaceParts } from '../storage/names.ts';
import { decode, encode } from '../values/bson.ts';
import { badValue, DatabaseError } from '../values/errors.ts';
import { rawDocument, rawField } from '../values/raw.ts';
import type { Doc, Value } from '../values/value.ts';
import { documentsOf, type Outcome, runBatch } from './batch.ts';
import { deleteDocuments, insertDocument, type Target, updateDocuments } from './modify.ts';
import { updateArg } from './writes.ts';

type Kind = 'insert' | 'update' | 'delete';

function bulkWrite(database: Database, command: Command): Work {
  const { args, db } = command;
  if (db !== 'admin') throw new DatabaseError(13, 'bulkWrite may only be run against the admin database.');
  const targets = documentsOf(command, 'nsInfo').map((bytes) => targetOf(database, command, decode(bytes)));
  const operations = documentsOf(command, 'ops');
  const kinds = operations.map(kindOf);
  const outcome = runBatch(database, command, operations, (bytes, index) => runOperation(kinds[index] as Kind, targets, bytes));
  const cursor = docArg(args, 'cursor');
  return firstBatch(database, command, {
    namespace: 'admin.$cmd.bulkWrite',
    collection: undefined,
    documents: resultsOf(outcome, kinds, boolArg(args, 'errorsOnly') === true),
    batchSize: cursor?.has('batchSize') ? integerArg(cursor, 'batchSize') : Number.POSITIVE_INFINITY,
    beside: totals(outcome, kinds),
  });
}

function targetOf(database: Database, command: Command, info: Doc): Target {
  const [db, name] = namespaceParts(required(stringArg(info, 'ns'), 'bulkWrite.nsInfo.ns'));
  return { database, db, name, context: contextOf(command) };
}

function kindOf(bytes: Buffer): Kind {
  const [kind = ''] = decode(bytes).keys();
  if (kind === 'insert' || kind === 'update' || kind === 'delete') return kind;
  throw new DatabaseError(40415, `BSON field 'bulkWrite.ops.${kind}' is an unknown field.`);
}

const knownFields: Readonly<Record<Kind, readonly string[]>> = {
  insert: ['document'],
  update: ['filter', 'updateMods', 'multi', 'upsert', 'sort', 'arrayFilters'],
  delete: ['filter', 'multi'],
};

function runOperation(kind: Kind, targets: readonly Target[], bytes: Buffer): Doc {
  const operation = decode(bytes);
  checkFields(kind, operation, knownFields[kind]);
  const target = targets[integerArg(operation, kind) as number];
  if (target === undefined) throw badValue(`BulkWrite ops entry ${kind} has an invalid nsInfo index.`);
  if (kind === 'insert') {
    required(docArg(operation, 'document'), 'bulkWrite.ops.document');
    const { start, end } = rawField(rawDocument(bytes), documentTag) as { start: number; end: number };
    insertDocument(target, bytes.subarray(start, end));
    return new Map([['n', new Int32(1)]]);
  }
  const statement = {
    filter: required(docArg(operation, 'filter'), 'bulkWrite.ops.filter'),
    multi: boolArg(operation, 'multi') === true,
    sort: docArg(operation, 'sort'),
  };
  if (kind === 'delete') return new Map([['n', new Int32(deleteDocuments(target, statement).removed)]]);
  const { matched, modified, upsertedId } = updateDocuments(target, {
    ...statement,
    update: updateArg(operation, 'updateMods'),
    upsert: boolArg(operation, 'upsert') === true,
    arrayFilters: arrayArg(operation, 'arrayFilters'),
  });
  const answer: Doc = new Map([
    ['n', new Int32(matched + (upsertedId === undefined ? 0 : 1))],
    ['nModified', new Int32(modified)],
  ]);
  return upsertedId === undefined ? answer : answer.set('upserted', new Map([['_id', upsertedId]]));
}

const documentTag = Buffer.from('document');

/** One document for each operation that was tried, or for those that failed. */
function* resultsOf({ answers, errors }: Outcome, kinds: readonly Kind[], errorsOnly: boolean): Generator<Uint8Array> {
  const failed = errors.map(({ index, error }) => ({ index, ok: 0, fields: [...errorFields(error), ...nothing(kinds[index])] }));
  const done = errorsOnly ? [] : answers.map(({ index, answer }) => ({ index, ok: 1, fields: [...answer] }));
  for (const { index, ok, fields } of [...done, ...failed].sort((a, b) => a.index - b.index)) {
    yield encode(new Map<string, Value>([['ok', new Double(ok)], ['idx', new Int32(index)], ...fields]));
  }
}

function nothing(kind: Kind | undefined): [string, Value][] {
  const none: [string, Value][] = [['n', new Int32(0)]];
  return kind === 'update' ? [...none, ['nModified', new Int32(0)]] : none;
}

function totals({ answers, errors, retried }: Outcome, kinds: readonly Kind[]): Doc {
  const sum = (kind: Kind, count: (answer: Doc) => number) =>
    new Int32(answers.reduce((total, { index, answer }) => total + (kinds[index] === kind ? count(answer) : 0), 0));
  const field = (name: string) => (answer: Doc) => integerArg(answer, name) ?? 0;
  const fields = new Map<string, Value>([
    ['nErrors', new Int32(errors.length)],
    ['nInserted', sum('insert', field('n'))],
    ['nMatched', sum('update', (answer) => (answer.has('upserted') ? 0 : field('n')(answer)))],
    ['nModified', sum('update', field('nModified'))],
    ['nUpserted', sum('update', (answer) => (answer.has('upserted') ? 1 : 0))],
    ['nDeleted', sum('delete', field('n'))],
  ]);
  return retried.length === 0
    ? fields
    : fields.set(
        'retriedStmtIds',
        retried.map((id) => new Int32(id)),
      );
}

/** Writes to several collections at once. */
export const bulkWriteCommands: Readonly<Record<string, CommandEntry>> = {
  bulkWrite: {
    handle: bulkWrite,
    fields: ['ops', 'nsInfo', 'ordered', 'errorsOnly', 'cursor', 'bypassDocumentValidation'],
  },
};
