import { Int32 } from 'bson';
import { arrayArg, boolArg, collectionName, docArg, integerArg, required } from '../protocol/args.ts';
import type { Command, CommandEntry, Database } from '../protocol/command.ts';
import { checkFields } from '../protocol/common-options.ts';
import { contextOf } from '../read/find.ts';
import { decode } from '../values/bson.ts';
import { DatabaseError } from '../values/errors.ts';
import { type Doc, isDoc, type Value } from '../values/value.ts';
import { batchReply, documentsOf, runBatch, sum } from './batch.ts';
import { deleteDocuments, insertDocument, type Target, updateDocuments } from './modify.ts';

function insert(database: Database, command: Command): Doc {
  const target = targetOf(database, command);
  const outcome = runBatch(database, command, documentsOf(command, 'documents'), ({ bytes, doc }) => {
    insertDocument(target, bytes, doc);
    return new Map([['n', new Int32(1)]]);
  });
  return batchReply(outcome, [['n', new Int32(sum(outcome, 'n'))]]);
}

function update(database: Database, command: Command): Doc {
  const target = targetOf(database, command);
  const outcome = runBatch(database, command, statementsOf(command, 'updates', updateFields), (statement) => {
    const { matched, modified, upsertedId } = updateDocuments(target, {
      filter: required(docArg(statement, 'q'), 'update.updates.q'),
      update: updateArg(statement, 'u'),
      multi: boolArg(statement, 'multi') === true,
      upsert: boolArg(statement, 'upsert') === true,
      sort: docArg(statement, 'sort'),
      arrayFilters: arrayArg(statement, 'arrayFilters'),
    });
    const answer: Doc = new Map([
      ['n', new Int32(matched + (upsertedId === undefined ? 0 : 1))],
      ['nModified', new Int32(modified)],
    ]);
    return upsertedId === undefined ? answer : answer.set('_id', upsertedId);
  });
  const upserted = outcome.answers.flatMap(({ index, answer }): Doc[] =>
    answer.has('_id')
      ? [
          new Map<string, Value>([
            ['index', new Int32(index)],
            ['_id', answer.get('_id') as Value],
          ]),
        ]
      : [],
  );
  return batchReply(outcome, [
    ['n', new Int32(sum(outcome, 'n'))],
    ...(upserted.length > 0 ? [['upserted', upserted] as const] : []),
    ['nModified', new Int32(sum(outcome, 'nModified'))],
  ]);
}

function remove(database: Database, command: Command): Doc {
  const target = targetOf(database, command);
  const outcome = runBatch(database, command, statementsOf(command, 'deletes', deleteFields), (statement) => {
    const { removed } = deleteDocuments(target, {
      filter: required(docArg(statement, 'q'), 'delete.deletes.q'),
      multi: required(integerArg(statement, 'limit'), 'delete.deletes.limit') === 0,
    });
    return new Map([['n', new Int32(removed)]]);
  });
  return batchReply(outcome, [['n', new Int32(sum(outcome, 'n'))]]);
}

/** The statements of a batch, all validated before the first one runs. */
function statementsOf(command: Command, field: string, known: readonly string[]): Doc[] {
  return documentsOf(command, field).map(({ bytes, doc }) => {
    const statement = doc ?? decode(bytes);
    checkFields(`${command.name}.${field}`, statement, known);
    return statement;
  });
}

/** The collection that a write command writes to. */
export function targetOf(database: Database, command: Command): Target {
  return {
    database,
    db: command.db,
    name: collectionName(command),
    context: contextOf(command),
  };
}

/** Reads an update argument, which is a document or a pipeline. */
export function updateArg(args: Doc, name: string): Doc | readonly Value[] {
  const value = required(args.get(name), name);
  if (isDoc(value) || Array.isArray(value)) return value;
  throw new DatabaseError(9, `Update argument must be either an object or an array`);
}

const updateFields = ['q', 'u', 'multi', 'upsert', 'sort', 'arrayFilters'];
const deleteFields = ['q', 'limit'];

/** The commands `insert`, `update` and `delete`. */
export const writeCommands: Readonly<Record<string, CommandEntry>> = {
  insert: { handle: insert, fields: ['documents', 'ordered'] },
  update: { handle: update, fields: ['updates', 'ordered'] },
  delete: { handle: remove, fields: ['deletes', 'ordered'] },
};
