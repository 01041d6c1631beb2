import { Int32 } from 'bson';
import type { Row } from '../plan/execute.ts';
import { compileRawProjection, type RawTransform } from '../project/raw.ts';
import { arrayArg, boolArg, docArg } from '../protocol/args.ts';
import type { Command, CommandEntry, Database } from '../protocol/command.ts';
import { reply } from '../protocol/replies.ts';
import { projectionArg } from '../read/projection.ts';
import { encodeAnswer } from '../values/bson.ts';
import { DatabaseError } from '../values/errors.ts';
import { validate } from '../values/validate.ts';
import { bsonType, type Doc, OpaqueValue, type Value } from '../values/value.ts';
import { deleteDocuments, type Target, updateDocuments } from './modify.ts';
import { targetOf, updateArg } from './writes.ts';

/** The number of the only statement of a findAndModify. */
const statement = 0;

function findAndModify(database: Database, command: Command): Doc {
  const { args } = command;
  const target = targetOf(database, command);
  const retry = database.retryableWrites.begin(args);
  const before = retry?.done(statement);
  if (before !== undefined) return reply([...before, ['retriedStmtIds', [new Int32(statement)]]]);
  const remove = boolArg(args, 'remove') === true;
  const returnNew = boolArg(args, 'new') === true;
  if (remove && args.has('update')) throw new DatabaseError(9, "Cannot specify both an 'update' and 'remove'=true");
  if (remove && (returnNew || boolArg(args, 'upsert') === true))
    throw new DatabaseError(
      9,
      "Cannot specify both 'new'=true or 'upsert'=true and 'remove'=true; 'remove' always returns the deleted document",
    );
  const raw = compileRawProjection(docArg(args, 'fields') ?? new Map());
  const show = showing(target, args, raw);
  const carryOut = () => {
    const answer = remove ? removeOne(target, args, show) : updateOne(target, args, show, returnNew);
    retry?.record(statement, answer);
    retry?.save();
    // Throws if the reply is too large.
    if (raw === undefined) encodeAnswer(answer);
    return reply(answer);
  };
  // A projection may fail, or produce a reply that is too large, after the document was written.
  return raw === undefined ? database.commits.atomically(carryOut) : carryOut();
}

function removeOne(target: Target, args: Doc, show: Show): Doc {
  const { removed, last } = deleteDocuments(target, { ...selection(args), multi: false });
  return answerOf([['n', new Int32(removed)]], show(last));
}

function updateOne(target: Target, args: Doc, show: Show, returnNew: boolean): Doc {
  if (!args.has('update')) throw new DatabaseError(9, 'Either an update or remove=true must be specified');
  const { matched, upsertedId, before, after } = updateDocuments(target, {
    ...selection(args),
    update: updateArg(args, 'update'),
    multi: false,
    upsert: boolArg(args, 'upsert') === true,
    arrayFilters: arrayArg(args, 'arrayFilters'),
  });
  return answerOf(
    [
      ['n', new Int32(matched + (upsertedId === undefined ? 0 : 1))],
      ['updatedExisting', matched > 0],
      ...(upsertedId === undefined ? [] : [['upserted', upsertedId] as const]),
    ],
    show(returnNew ? after : before),
  );
}

function selection(args: Doc) {
  return { filter: docArg(args, 'query') ?? new Map<string, Value>(), sort: docArg(args, 'sort') };
}

type Show = (row: Row | undefined) => Value;

/** Returns a function that applies the projection to a document. */
function showing({ context }: Target, args: Doc, raw: RawTransform | undefined): Show {
  const project = projectionArg(args, 'fields', context);
  return (row) => {
    if (row === undefined) return null;
    if (project === undefined) return new OpaqueValue(bsonType.object, validate(row.document));
    return raw === undefined ? project(row.whole) : new OpaqueValue(bsonType.object, validate(raw(row.document)));
  };
}

function answerOf(lastErrorObject: Iterable<readonly [string, Value]>, value: Value): Doc {
  return new Map<string, Value>([
    ['lastErrorObject', new Map(lastErrorObject)],
    ['value', value],
  ]);
}

const knownFields = ['query', 'sort', 'remove', 'update', 'new', 'fields', 'upsert', 'arrayFilters'];

/** The command `findAndModify`. */
export const findAndModifyCommands: Readonly<Record<string, CommandEntry>> = {
  findAndModify: { handle: findAndModify, fields: knownFields },
};
