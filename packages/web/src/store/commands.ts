import type { RoomCommand } from 'chat-service-client/contract';
import { ask, chat } from '../service/api.ts';

/** For how many milliseconds the commands of a room are not asked for again while one types. */
const ageMs = 30_000;

const cachedCommands = new Map<string, { at: number; commands: Promise<RoomCommand[]> }>();

/** The commands of the bots in a room; `isFresh` asks for them again. */
export function commandsOf(room: string, isFresh = false): Promise<RoomCommand[]> {
  const last = cachedCommands.get(room);
  if (last && !isFresh && Date.now() - last.at < ageMs) return last.commands;
  const commands = ask(chat.GET('/api/rooms/{room}/commands', { params: { path: { room } } }));
  cachedCommands.set(room, { at: Date.now(), commands });
  // After a failure, the next key asks again.
  commands.catch(() => cachedCommands.delete(room));
  return commands;
}
