import { Double } from 'bson';
import { allCommands } from './commands.ts';
import { Operation } from './operation.ts';
import type { Command, Database, Work } from './protocol/command.ts';
import {
  checkFields,
  checkReadConcern,
  checkWriteConcern,
  isUnjournaled,
  maxMillisOf,
  refuseTransactions,
} from './protocol/common-options.ts';
import type { Connection, Handler } from './protocol/connection.ts';
import { errorFields } from './protocol/error-fields.ts';
import type { Message } from './protocol/messages.ts';
import { isDamage, isDamageError, noteDamage } from './storage/file/damage.ts';
import type { GroupCommit } from './storage/group-commit.ts';
import { encodeAnswer } from './values/bson.ts';
import { DatabaseError, damaged } from './values/errors.ts';
import type { Doc } from './values/value.ts';

/**
 * Creates the handler of all messages. It runs the command, and answers once everything that the
 * command read or wrote is on disk.
 */
export function createDispatcher(database: Database): Handler {
  const { commits, memory } = database;
  const later = createTurns(commits);

  return (message, connection, done) => {
    const [name = ''] = message.body.keys();

    const start = () => {
      const operation = new Operation(memory);
      const { changes } = commits;
      const begun = begin(database, name, message, connection, operation);
      const isRepeatable = commits.changes === changes && name !== 'getMore';

      const isAlone = connection.isAlone?.() === true;
      // A lone client's unjournaled write prepares its next write. It is answered at once, then
      // committed and synced together with that next write.
      const isPreparation = isAlone && isUnjournaled(message.body);

      /** Proceeds once the changes that the command has seen are on disk. */
      const afterwards = (proceed: () => void) => {
        if (isPreparation) {
          proceed();
          return;
        }
        commits.settled((lost) => {
          if (lost === undefined) {
            proceed();
            return;
          }
          // The changes that the command read were rolled back: it must read again.
          operation.release();
          if (isRepeatable) start();
          else done(encodeAnswer(errorReply(lost)));
        });
        if (isAlone) commits.flush();
      };

      const answer = (bytes: Buffer) =>
        afterwards(() => {
          if (!operation.outlivesCommand) operation.release();
          done(bytes);
        });

      /**
       * Runs the command slice by slice. Each turn of the event loop runs one slice of one command,
       * so that no command waits for long.
       */
      const advance = (work: Work) => {
        const bytes = carefully(database, message.body, () => {
          const { done, value } = work.next();
          return done ? encodeAnswer(value) : undefined;
        });
        if (bytes !== undefined) answer(bytes);
        else afterwards(() => later(() => advance(work)));
      };

      if (begun instanceof Promise) begun.then(answer);
      else if ('next' in begun) advance(begun);
      else answer(begun);
    };

    start();
  };
}

/** Runs one queued step per turn of the event loop. Answers that are ready are sent before it. */
function createTurns(commits: GroupCommit): (step: () => void) => void {
  const waiting: (() => void)[] = [];
  const next = () => {
    commits.flush();
    const step = waiting.shift();
    if (waiting.length > 0) setImmediate(next);
    step?.();
  };
  return (step) => {
    if (waiting.push(step) === 1) setImmediate(next);
  };
}

/** Begins a command. Returns its answer, or the work that remains if the command runs in slices. */
function begin(
  database: Database,
  name: string,
  message: Message,
  connection: Connection,
  operation: Operation,
): Buffer | Promise<Buffer> | Work {
  const args = message.body;
  return carefully(database, args, () => {
    if (message.refusal !== undefined) throw message.refusal;
    const entry = Object.hasOwn(allCommands, name) ? allCommands[name] : undefined;
    if (entry === undefined) throw new DatabaseError(59, `no such command: '${name}'`);
    checkFields(name, args, entry.fields);
    refuseTransactions(args);
    checkReadConcern(name, args);
    const concernError = checkWriteConcern(name, args);
    operation.resume(connection, maxMillisOf(args));
    const db = String(args.get('$db') ?? '');
    const command: Command = { name, db, args, message, connection, now: new Date(), operation };
    const handle = () => entry.handle(database, command);
    const carryOut = () => (entry.atomic ? database.commits.atomically(handle) : handle());
    const needsNoSync = isUnjournaled(args) && connection.isAlone?.() !== true;
    const begun = needsNoSync ? database.commits.unsynced(carryOut) : carryOut();
    if (begun instanceof Promise) return begun.then(encodeAnswer).catch((error) => refusal(database, args, error));
    if ('next' in begun) return begun;
    if (concernError !== undefined) begun.set('writeConcernError', concernError);
    return encodeAnswer(begun);
  });
}

/** Runs a step of a command; returns an error reply if it throws. */
function carefully<T>(database: Database, args: Doc, step: () => T): T | Buffer {
  try {
    return step();
  } catch (error) {
    return refusal(database, args, error);
  }
}

function refusal({ file }: Database, args: Doc, error: unknown): Buffer {
  const [[name, operand] = ['', null]] = args;
  // SQLite does not say in which of its tables it found damage.
  const place = typeof operand === 'string' ? `${operand}: ` : '';
  const known = isDamage(error) ? damaged(`${place}${(error as Error).message}.`) : error;
  if (isDamageError(known)) noteDamage(file.sums, known);
  if (known instanceof DatabaseError) return encodeAnswer(errorReply(known));
  console.error(`The command ${name} failed unexpectedly:`, error);
  return encodeAnswer(errorReply(new DatabaseError(1, `internal error: ${(error as Error).message}`)));
}

function errorReply(error: DatabaseError): Doc {
  return new Map([['ok', new Double(0)], ...errorFields(error)]) satisfies Doc;
}
