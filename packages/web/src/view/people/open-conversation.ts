import { go, roomPath } from '../../device/routes.ts';
import { ask, chat } from '../../service/api.ts';
import { idOf } from '../../service/ids.ts';
import { sync } from '../../sync/sync.ts';

/** Opens the conversation with people, by their ids or names; throws a `Failure`. */
export async function openConversation(users: string[]): Promise<void> {
  const room = await ask(chat.POST('/api/conversations', { body: { users } }));
  await sync.readRooms({ all: true });
  go(roomPath(idOf(room)));
}
