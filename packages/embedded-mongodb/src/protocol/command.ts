import type { Memory, Operation } from '../operation.ts';
import type { Cursors } from '../sessions/cursors.ts';
import type { RetryableWrites } from '../sessions/retryable-writes.ts';
import type { Catalog } from '../storage/catalog.ts';
import type { DatabaseFile } from '../storage/file/file.ts';
import type { GroupCommit } from '../storage/group-commit.ts';
import type { Doc } from '../values/value.ts';
import type { Connection } from './connection.ts';
import type { Message } from './messages.ts';

/** Everything that commands work on. */
export type Database = {
  readonly file: DatabaseFile;
  readonly catalog: Catalog;
  readonly commits: GroupCommit;
  readonly cursors: Cursors;
  readonly retryableWrites: RetryableWrites;
  readonly memory: Memory;
};

/** One command to carry out. */
export type Command = {
  readonly name: string;
  readonly db: string;
  readonly args: Doc;
  readonly message: Message;
  readonly connection: Connection;
  /** The instant that the whole command takes as now. */
  readonly now: Date;
  readonly operation: Operation;
};

/** A command that is carried out in slices: wherever it yields, others may have their turn. */
export type Work = Generator<undefined, Doc>;

/** Carries out a command; what it refuses it throws as a DatabaseError. */
export type CommandHandler = (database: Database, command: Command) => Doc | Promise<Doc> | Work;

/** A command: what carries it out, and which fields it knows beside those that every command has. */
export type CommandEntry = {
  readonly handle: CommandHandler;
  readonly fields: readonly string[];
  /** Happens wholly or not at all; batches do not, for each of their statements stands for itself. */
  readonly atomic?: boolean;
};
