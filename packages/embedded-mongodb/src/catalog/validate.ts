import { Int32 } from 'bson';
import { boolArg, collectionName } from '../protocol/args.ts';
import type { Command, CommandEntry, Database } from '../protocol/command.ts';
import { reply } from '../protocol/replies.ts';
import { checkCollection } from '../storage/check.ts';
import { DatabaseError } from '../values/errors.ts';
import type { Doc } from '../values/value.ts';

function validate({ catalog, file }: Database, command: Command): Doc {
  const { args, db } = command;
  const name = collectionName(command);
  const collection = catalog.get(db, name);
  if (collection === undefined) throw new DatabaseError(26, `Collection '${db}.${name}' does not exist to validate.`);
  const { documents, keys, errors } = checkCollection(file, collection, boolArg(args, 'full') === true, command.operation);
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

/** Compares a collection with its indexes. */
export const validateCommands: Readonly<Record<string, CommandEntry>> = {
  validate: { handle: validate, fields: ['full'] },
};
