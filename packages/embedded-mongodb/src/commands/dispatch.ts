import { Double } from 'bson';
import { DatabaseError } from '../query/errors.ts';
import type { Doc, Value } from '../query/value.ts';
import type { Connection, Handler } from '../wire/connection.ts';
import type { Message } from '../wire/messages.ts';
import { encodedReply, type Reply } from '../wire/reply.ts';
import type { Command, Database } from './command.ts';
import { checkFields, checkReadConcern, checkWriteConcern, refuseTransactions, timeLimitOf } from './common-options.ts';
import { labelErrors } from './error-labels.ts';
import { errorFields } from './errors.ts';
import type { Failure } from './fail-points.ts';
import { sessionKey } from './sessions.ts';
import { checkApiVersion } from './stable-api.ts';
import { COMMANDS } from './table.ts';

/** Makes the handler of all messages: it finds the command, runs it and answers once what it saw is on disk. */
export function createDispatcher(database: Database): Handler {
  return (message, connection, done) => {
    const [name = ''] = message.body.keys();
    const failure = database.failPoints.onCommand(name, connection);
    const proceed = () => {
      if (failure?.closeConnection) {
        done({ pieces: undefined });
        return;
      }
      const { changes } = database.commits;
      const reply = failure?.error ? errorReply(failure.error) : run(database, name, message, connection);
      const repeatable = database.commits.changes === changes && name !== 'getMore';
      if (reply instanceof Promise) reply.then((later) => answer(later, false));
      else answer(reply, repeatable);
    };
    const answer = (reply: Reply, repeatable: boolean) => {
      database.commits.settled((lost) => {
        // What a command read of changes that are now rolled back never was: it reads again.
        if (lost !== undefined && repeatable) {
          proceed();
          return;
        }
        const told = completed(lost === undefined ? reply : errorReply(lost), message.body, failure);
        done({ pieces: connection.hangsUp ? undefined : encodedReply(told) });
      });
    };
    if (failure !== undefined && failure.delayMillis > 0) setTimeout(proceed, failure.delayMillis);
    else proceed();
  };
}

function run(database: Database, name: string, message: Message, connection: Connection): Reply | Promise<Reply> {
  const args = message.body;
  try {
    if (message.refusal !== undefined) throw message.refusal;
    const entry = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
    if (entry === undefined) throw new DatabaseError(59, `no such command: '${name}'`);
    const now = new Date();
    noteSession(database, args, now);
    checkApiVersion(name, args);
    checkFields(name, args, entry.fields);
    refuseTransactions(args);
    checkReadConcern(name, args);
    const concernError = checkWriteConcern(name, args);
    const db = String(args.get('$db') ?? '');
    const command: Command = { name, db, args, message, connection, now, timeLimit: timeLimitOf(args) };
    const carryOut = () => entry.handle(database, command);
    const reply = entry.atomic ? database.commits.atomically(carryOut) : carryOut();
    if (reply instanceof Promise) return reply.catch((error) => refusal(name, error));
    return concernError !== undefined && reply instanceof Map ? reply.set('writeConcernError', concernError) : reply;
  } catch (error) {
    return refusal(name, error);
  }
}

function refusal(name: string, error: unknown): Reply {
  if (error instanceof DatabaseError) return errorReply(error);
  console.error(`The command ${name} failed unexpectedly:`, error);
  return errorReply(new DatabaseError(1, `internal error: ${(error as Error).message}`));
}

function noteSession({ sessions }: Database, args: Doc, now: Date): void {
  const lsid = args.get('lsid');
  const key = sessionKey(lsid);
  if (key !== undefined) sessions.touch(key, (lsid as Doc).get('id') as Value, now.getTime());
}

/** Adds to an answer what a fail point wants in it, and the labels of its error. */
function completed(reply: Reply, args: Doc, failure: Failure | undefined): Reply {
  if (!(reply instanceof Map)) return reply;
  if (failure?.writeConcernError !== undefined) reply.set('writeConcernError', failure.writeConcernError);
  return labelErrors(reply, args, failure?.labels);
}

function errorReply(error: DatabaseError): Doc {
  return new Map([['ok', new Double(0)], ...errorFields(error)]);
}
