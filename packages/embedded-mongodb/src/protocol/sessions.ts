import { Binary } from 'bson';
import { DatabaseError } from '../values/errors.ts';
import { asBuffer } from '../values/raw.ts';
import { type Doc, isDoc, type Value } from '../values/value.ts';
import { arrayArg } from './args.ts';
import type { Command, CommandEntry, Database } from './command.ts';
import { reply } from './replies.ts';

function endSessions({ cursors }: Database, { args, name }: Command): Doc {
  for (const lsid of arrayArg(args, name) ?? []) {
    const key = sessionKey(lsid);
    if (key !== undefined) cursors.endSession(key);
  }
  return reply([]);
}

/** The id of a session as a string. */
export function sessionKey(lsid: Value | undefined): string | undefined {
  const id = isDoc(lsid) ? lsid.get('id') : undefined;
  return id instanceof Binary ? asBuffer(id.buffer).toString('latin1') : undefined;
}

function noTransactions(): never {
  throw new DatabaseError(
    251,
    'Given transaction number does not match any in-progress transactions: transactions are not supported',
  );
}

const transactionFields = ['txnNumber', 'autocommit', 'recoveryToken'];

/** Sessions are created by clients. The database only cleans up when they end. */
export const sessionCommands: Readonly<Record<string, CommandEntry>> = {
  endSessions: { handle: endSessions, fields: [] },
  commitTransaction: { handle: noTransactions, fields: transactionFields },
  abortTransaction: { handle: noTransactions, fields: transactionFields },
};
