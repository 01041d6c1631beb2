import { ask, chat } from '../api.ts';
import { idOf } from '../ids.ts';
import { go, roomPath } from '../routes.ts';
import { me } from '../session.ts';
import { strings } from '../strings.ts';
import { sync } from '../sync/sync.ts';
import { attempt } from './controls.tsx';
import { type MenuItem, openMenu } from './menu.tsx';

/** Opens the conversation with people, by their ids or names; throws a `Failure`. */
export async function openConversation(users: string[]): Promise<void> {
  const room = await ask(chat.POST('/api/conversations', { body: { users } }));
  await sync.readRooms({ all: true });
  go(roomPath(idOf(room)));
}

/** What one may do with anybody else, wherever their name stands. */
export const personActions = (user: string): MenuItem[] =>
  user === idOf(me())
    ? []
    : [{ label: strings.people.message, icon: 'reply', act: () => attempt(() => openConversation([user])) }];

/** Opens what one may do with somebody, at the element that was pressed. */
export const openPerson = (opener: HTMLElement, user: string, name: string): void =>
  openMenu(opener, strings.members.actions(name), personActions(user));
