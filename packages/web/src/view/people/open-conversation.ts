import { go, roomPath } from '../../device/routes.ts';
import { ask, chat } from '../../service/api.ts';
import { idOf } from '../../service/ids.ts';
import { sync } from '../../sync/sync.ts';
import { composeNext } from '../shared/focus.ts';

/**
 * Opens the conversation with people, by their ids or names, with the caret in the message field.
 * Throws a `Failure`. `close` closes the dialog that asked for it: closed later, it would take the
 * focus back.
 */
export async function openConversation(users: string[], close?: () => void): Promise<void> {
  const room = await ask(chat.POST('/api/conversations', { body: { users } }));
  await sync.readRooms({ all: true });
  close?.();
  go(roomPath(idOf(room)));
  composeNext();
}
