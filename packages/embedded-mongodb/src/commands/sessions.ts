import { Binary, Int32, UUID } from 'bson';
import { DatabaseError } from '../query/errors.ts';
import { type Doc, isDoc, type Value } from '../query/value.ts';
import { SESSION_MINUTES } from '../sessions/retryable-writes.ts';
import { asBuffer } from '../storage/raw.ts';
import { arrayArg } from './args.ts';
import type { Command, CommandEntry, Database } from './command.ts';
import { reply } from './replies.ts';

function startSession(): Doc {
  const id = new Map([['id', new Binary(new UUID().buffer, Binary.SUBTYPE_UUID)]]);
  return reply([
    ['id', id],
    ['timeoutMinutes', new Int32(SESSION_MINUTES)],
  ]);
}

function endSessions({ cursors, sessions }: Database, { args, name }: Command): Doc {
  for (const lsid of arrayArg(args, name) ?? []) {
    const key = isDoc(lsid) ? sessionKey(lsid) : undefined;
    if (key === undefined) continue;
    cursors.endSession(key);
    sessions.end(key);
  }
  return reply([]);
}

/** Ends all that the server keeps for sessions. */
function killAllSessions({ cursors, sessions }: Database): Doc {
  for (const key of sessions.keys()) {
    cursors.endSession(key);
    sessions.end(key);
  }
  return reply([]);
}

/** A session's identity as text. */
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

const TRANSACTION_FIELDS = ['txnNumber', 'autocommit', 'recoveryToken'];

/** Sessions live with their client; there is only something to do when they end. */
export const sessionCommands: Readonly<Record<string, CommandEntry>> = {
  startSession: { handle: startSession, fields: [] },
  refreshSessions: { handle: () => reply([]), fields: [] },
  endSessions: { handle: endSessions, fields: [] },
  killSessions: { handle: endSessions, fields: [] },
  killAllSessions: { handle: killAllSessions, fields: [] },
  commitTransaction: { handle: noTransactions, fields: TRANSACTION_FIELDS },
  abortTransaction: { handle: noTransactions, fields: TRANSACTION_FIELDS },
};
