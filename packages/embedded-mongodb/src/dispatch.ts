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

/** Makes the handler of all messages: it finds the command, runs it and answers once what it saw is on disk. */
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
      // What such a write changes is told at once, and committed and synced together with the write that it prepares.
      const isPreparation = isAlone && isUnjournaled(message.body);

      /** Goes on once it is known whether what was seen so far has lasted. */
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
          // What a command read of changes that are now rolled back never was: it reads again.
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

      /** One slice after the other, in each turn of the event loop one of one command, so that nobody waits for long. */
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

/** Runs what is handed to it piece by piece, in each turn of the event loop one; those whose answers are ready get them before. */
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

/** Begins a command: gives its answer, or, if it is carried out in slices, the work to be done. */
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

/** What a step of a command gives, or the refusal that it ends in. */
function carefully<T>(database: Database, args: Doc, step: () => T): T | Buffer {
  try {
    return step();
  } catch (error) {
    return refusal(database, args, error);
  }
}

function refusal({ file }: Database, args: Doc, error: unknown): Buffer {
  const [[name, operand] = ['', null]] = args;
  // SQLite does not say which of its tables is damaged.
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
