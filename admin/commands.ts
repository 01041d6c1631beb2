import type { Command } from './command.ts';
import { databaseCommands } from './commands/database.ts';
import { roomCommands } from './commands/room.ts';
import { tokenCommands } from './commands/token.ts';
import { transferCommands } from './commands/transfer.ts';
import { userCommands } from './commands/user.ts';

/** Every command by its name. */
export const commands: Record<string, Command> = {
  ...userCommands,
  ...tokenCommands,
  ...roomCommands,
  ...databaseCommands,
  ...transferCommands,
};
