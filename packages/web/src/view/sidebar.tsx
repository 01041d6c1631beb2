import { useLayoutEffect, useRef } from 'preact/hooks';
import { ask, chat } from '../api.ts';
import { idOf } from '../ids.ts';
import { go, roomPath, route } from '../routes.ts';
import { me } from '../session.ts';
import { settings } from '../settings.ts';
import { signOut } from '../start.ts';
import { countDrafts } from '../store/drafts.ts';
import { isListed } from '../store/hidden.ts';
import type { MyRoom } from '../store/kept.ts';
import { outbox } from '../store/outbox.ts';
import { rooms } from '../store/rooms.ts';
import { strings } from '../strings.ts';
import { sync } from '../sync/sync.ts';
import { safeName } from '../text/names.ts';
import { Avatar, attempt, Field, Form, IconButton, Loading } from './controls.tsx';
import { confirmed, openDialog } from './dialog.tsx';
import { Icon } from './icon.tsx';
import { openSwitcher } from './keys.tsx';

/** My rooms, and the way to everything else. */
export function Sidebar() {
  const list = rooms.value?.filter(isListed);
  const user = me();
  return (
    <nav class="sidebar" aria-label={strings.rooms.title} id="rooms" tabIndex={-1}>
      <header>
        <a class="brand" href="/">
          <img src="/icon.svg" alt="" width="28" height="28" />
          <bdi>{settings.name}</bdi>
        </a>
        <span class="row">
          <IconButton icon="search" label={strings.rooms.switchTo} onPress={openSwitcher} />
          <IconButton icon="plus" label={strings.rooms.direct} onPress={openDirect} />
        </span>
      </header>
      {list ? (
        <ul class="rooms">
          {list.map((room) => (
            <RoomLink key={room.id} room={room} />
          ))}
          {list.length === 0 && <li class="muted">{strings.rooms.none}</li>}
        </ul>
      ) : (
        <Loading />
      )}
      <a class="browse" href="/directory" aria-current={route.value.name === 'directory' ? 'page' : undefined}>
        <Icon name="compass" /> {strings.rooms.browse}
      </a>
      <footer>
        <Avatar name={user.username} id={idOf(user)} />
        <span class="who">
          <bdi>{user.username}</bdi>
        </span>
        <a class="icon-button" href="/settings/profile" aria-label={strings.rooms.settings} title={strings.rooms.settings}>
          <Icon name="settings" />
        </a>
        <IconButton icon="logOut" label={strings.rooms.logOut} onPress={() => void leave()} />
      </footer>
    </nav>
  );
}

function RoomLink({ room }: { room: MyRoom }) {
  const { value } = route;
  const isCurrent = value.name === 'room' && value.room === room.id;
  const isUnread = room.unread > 0 && !room.isMuted;
  const item = useRef<HTMLLIElement>(null);
  // Also when the list gets another order, unless somebody is looking for something in it.
  useLayoutEffect(() => {
    if (isCurrent && !item.current?.matches('ul:is(:hover, :focus-within) > li'))
      item.current?.scrollIntoView({ block: 'nearest' });
  }, [room.order]);
  useLayoutEffect(() => {
    if (isCurrent) item.current?.scrollIntoView({ block: 'nearest' });
  }, [isCurrent]);
  return (
    <li ref={item}>
      <a class={isUnread ? 'room unread' : 'room'} href={roomPath(room.id)} aria-current={isCurrent ? 'page' : undefined}>
        <Icon name={room.isDirect ? 'user' : 'hash'} />
        <span class="name">
          <bdi>{safeName(room.name)}</bdi>
        </span>
        {room.isMuted && <Icon name="mute" />}
        {room.mentions > 0 && (
          <span class="count mention-count">
            <span aria-hidden="true" dir="ltr">
              @{room.mentions > 99 ? '99+' : room.mentions}
            </span>
            <span class="visually-hidden">{strings.rooms.mentions(room.mentions)}</span>
          </span>
        )}
        {isUnread && (
          <span class="count">
            <span aria-hidden="true">{room.unread > 99 ? '99+' : room.unread}</span>
            <span class="visually-hidden">{strings.rooms.unread(room.unread)}</span>
          </span>
        )}
      </a>
    </li>
  );
}

/** Begins a conversation with a few people, or opens the one that there is. */
function openDirect(): void {
  openDialog(strings.rooms.direct, (close) => {
    const begin = async ({ names = '' }: Record<string, string>) => {
      const users = names
        .split(/[\s,]+/)
        .filter(Boolean)
        .map((name) => name.replace(/^@/, ''));
      const room = await ask(chat.POST('/api/conversations', { body: { users } }));
      await sync.readRooms({ all: true });
      close();
      go(roomPath(idOf(room)));
    };
    return (
      <Form onSubmit={begin} submit={strings.rooms.directSubmit}>
        <Field label={strings.rooms.directWith} name="names" autocomplete="off" autoFocus />
      </Form>
    );
  });
}

/** Signs out; asks first when there are messages or drafts that were not sent. */
async function leave(): Promise<void> {
  const [unsent, drafts] = [outbox.value.length, await countDrafts()];
  const isSure = unsent + drafts === 0 || (await confirmed(strings.outbox.unsentAsk(unsent, drafts), strings.rooms.logOut));
  if (!isSure) return;
  if (await attempt(signOut)) go('/login', { replace: true });
}
