import type { Memory, Operation } from '../operation.ts';
import type { Cursors } from '../sessions/cursors.ts';
import type { RetryableWrites } from '../sessions/retryable-writes.ts';
import type { Catalog } from '../storage/catalog.ts';
import type { DatabaseFile } from '../storage/file/file.ts';
import type { GroupCommit } from '../storage/group-commit.ts';
import type { Doc } from '../values/value.ts';
import type { Connection } from './connection.ts';
import type { Message } from './messages.ts';

/** The parts of an open database that commands use. */
export type Database = {
  readonly file: DatabaseFile;
  readonly catalog: Catalog;
  readonly commits: GroupCommit;
  readonly cursors: Cursors;
  readonly retryableWrites: RetryableWrites;
  readonly memory: Memory;
};

/** A command with its connection and its operation. */
export type Command = {
  readonly name: string;
  readonly db: string;
  readonly args: Doc;
  readonly message: Message;
  readonly connection: Connection;
  /** The current time for the whole command. */
  readonly now: Date;
  readonly operation: Operation;
};

/** A command that runs in slices: other commands may run wherever it yields. */
export type Work = Generator<undefined, Doc>;

/** Executes a command. Throws a DatabaseError if the command is rejected. */
export type CommandHandler = (database: Database, command: Command) => Doc | Promise<Doc> | Work;

/** The handler of a command, and its fields in addition to the common ones. */
export type CommandEntry = {
  readonly handle: CommandHandler;
  readonly fields: readonly string[];
  /**
   * All changes are rolled back if the command fails. Batches are not atomic: each statement stands
   * on its own.
   */
  readonly atomic?: boolean;
};
