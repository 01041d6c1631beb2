import { Double } from 'bson';
import { DatabaseError } from '../values/errors.ts';
import type { Doc } from '../values/value.ts';
import type { Command, Database } from './command.ts';
import { checkFields, checkReadConcern, checkWriteConcern, refuseTransactions, timeLimitOf } from './common-options.ts';
import type { Connection, Handler } from './connection.ts';
import { errorFields } from './error-fields.ts';
import type { Message } from './messages.ts';
import { encodedReply, type Reply } from './reply.ts';
import { allCommands } from './table.ts';

/** Makes the handler of all messages: it finds the command, runs it and answers once what it saw is on disk. */
export function createDispatcher(database: Database): Handler {
  return (message, connection, done) => {
    const [name = ''] = message.body.keys();
    const proceed = () => {
      const { changes } = database.commits;
      const reply = run(database, name, message, connection);
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
        done({ pieces: encodedReply(lost === undefined ? reply : errorReply(lost)) });
      });
    };
    proceed();
  };
}

function run(database: Database, name: string, message: Message, connection: Connection): Reply | Promise<Reply> {
  const args = message.body;
  try {
    if (message.refusal !== undefined) throw message.refusal;
    const entry = Object.hasOwn(allCommands, name) ? allCommands[name] : undefined;
    if (entry === undefined) throw new DatabaseError(59, `no such command: '${name}'`);
    checkFields(name, args, entry.fields);
    refuseTransactions(args);
    checkReadConcern(name, args);
    const concernError = checkWriteConcern(name, args);
    const db = String(args.get('$db') ?? '');
    const command: Command = { name, db, args, message, connection, now: new Date(), timeLimit: timeLimitOf(args) };
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

function errorReply(error: DatabaseError): Doc {
  return new Map([['ok', new Double(0)], ...errorFields(error)]);
}
