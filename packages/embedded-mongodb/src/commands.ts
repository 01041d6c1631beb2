import { backupCommands } from './catalog/backup.ts';
import { collectionCommands } from './catalog/collections.ts';
import { indexCommands } from './catalog/indexes.ts';
import { validateCommands } from './catalog/validate.ts';
import type { CommandEntry } from './protocol/command.ts';
import { handshakeCommands } from './protocol/handshake.ts';
import { sessionCommands } from './protocol/sessions.ts';
import { aggregateCommands } from './read/aggregate.ts';
import { explainCommands } from './read/explain.ts';
import { queryCommands } from './read/find.ts';
import { findAndModifyCommands } from './write/find-and-modify.ts';
import { writeCommands } from './write/writes.ts';

/** All commands by name. */
export const allCommands: Readonly<Record<string, CommandEntry>> = {
  ...handshakeCommands,
  ...sessionCommands,
  ...queryCommands,
  ...aggregateCommands,
  ...writeCommands,
  ...findAndModifyCommands,
  ...collectionCommands,
  ...indexCommands,
  ...explainCommands,
  ...backupCommands,
  ...validateCommands,
};
