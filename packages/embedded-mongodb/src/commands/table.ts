import { aggregateCommands } from './aggregate.ts';
import { backupCommands } from './backup.ts';
import { bulkWriteCommands } from './bulk-write.ts';
import { collectionCommands } from './collections.ts';
import type { CommandEntry } from './command.ts';
import { explainCommands } from './explain.ts';
import { findAndModifyCommands } from './find-and-modify.ts';
import { handshakeCommands } from './handshake.ts';
import { indexCommands } from './indexes.ts';
import { queryCommands } from './query.ts';
import { sessionCommands } from './sessions.ts';
import { validateCommands } from './validate.ts';
import { writeCommands } from './writes.ts';

/** Every command there is. */
export const COMMANDS: Readonly<Record<string, CommandEntry>> = {
  ...handshakeCommands,
  ...sessionCommands,
  ...queryCommands,
  ...aggregateCommands,
  ...writeCommands,
  ...bulkWriteCommands,
  ...findAndModifyCommands,
  ...collectionCommands,
  ...indexCommands,
  ...explainCommands,
  ...backupCommands,
  ...validateCommands,
};
