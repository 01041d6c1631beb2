import { useLayoutEffect, useRef } from 'preact/hooks';
import { mayMakeRooms, me } from '../../account/session.ts';
import { lateCode } from '../../device/late-code.ts';
import { go, roomPath, route } from '../../device/routes.ts';
import { listOf } from '../../i18n/locale.ts';
import { strings } from '../../i18n/strings.ts';
import { idOf } from '../../service/ids.ts';
import { settings } from '../../service/settings.ts';
import type { MyRoom } from '../../store/kept.ts';
import { currentStatus, statusOf } from '../../store/people/names.ts';
import { moveMarker } from '../../store/rooms/rooms.ts';
import { countForMe, foldedSections, type Section, sections, toggleSection } from '../../store/rooms/sections.ts';
import { countDrafts, drafted } from '../../store/unsent/drafts.ts';
import { outbox } from '../../store/unsent/outbox.ts';
import { signOut } from '../../sync/start.ts';
import { sync } from '../../sync/sync.ts';
import { safeName } from '../../text/names.ts';
import { Rows } from '../lists/rows.tsx';
import { Avatar, RoomMark } from '../people/avatar.tsx';
import { PersonButton } from '../people/person.tsx';
import { PresenceDot, PresenceText } from '../people/presence.tsx';
import { attempt, IconButton, Loading, PersonName, StatusMark } from '../shared/controls.tsx';
import { confirmed } from '../shared/dialog.tsx';
import { Icon } from '../shared/icon.tsx';
import { MenuButton, type MenuItem } from '../shared/menu.tsx';
import { openNewConversation, openNewRoom, openShortcuts, openSwitcher } from './keys.tsx';

/** The list of the user's rooms, with links to everything else. */
export function Sidebar() {
  const user = me();
  const list = sections.value;
  return (
    <nav class="sidebar" aria-label={strings.rooms.title} id="rooms" tabIndex={-1}>
      <header>
        <a class="brand" href="/">
          <img src="/icon.svg" alt="" width="24" height="24" />
          <bdi>{settings.name}</bdi>
        </a>
        <MenuButton label={strings.rooms.menu} items={serviceMenu} />
      </header>
      <button type="button" class="jump" onClick={() => void openSwitcher()} aria-keyshortcuts="Control+K">
        <Icon name="search" /> {strings.rooms.switchTo}
        <kbd>{strings.shortcuts.keys[0]?.[0]}</kbd>
      </button>
      <div class="rooms" onPointerEnter={prepare} onFocusIn={prepare}>
        {list ? (
          <>
            <Rows />
            {list.map((section) => (
              <Part key={section.name} {...section} />
            ))}
          </>
        ) : (
          <Loading />
        )}
      </div>
      <a class="browse" href="/directory" aria-current={route.value.name === 'directory' ? 'page' : undefined}>
        <Icon name="compass" /> {strings.rooms.browse}
      </a>
      <footer>
        <PersonButton user={idOf(user)} person={user}>
          <Avatar person={user} id={idOf(user)} />
          <span class="who">
            <PersonName person={user} />
            <StatusMark status={currentStatus(user.status)} />
          </span>
        </PersonButton>
        <a class="icon-button" href="/settings/profile" aria-label={strings.rooms.settings} title={strings.rooms.settings}>
          <Icon name="settings" />
        </a>
        <IconButton icon="logOut" label={strings.rooms.logOut} onPress={() => void leave()} />
      </footer>
    </nav>
  );
}

type Actions = typeof import('./room-actions.ts');
let actions: Actions | undefined;
const loadActions = lateCode(async () => {
  actions ??= await import('./room-actions.ts');
  return actions;
});

/** Has it there by the time a menu is opened, or a favourite is dragged. */
const prepare = () => void loadActions().catch(() => {});

/** Does something with rooms: at once where its code is loaded, for keys that are pressed meanwhile. */
const doing = (act: (actions: Actions) => unknown) => () => (actions ? act(actions) : loadActions().then(act));

/** The menu of the service. */
const serviceMenu = (): readonly MenuItem[] => [
  { label: strings.rooms.markAllRead, icon: 'check', act: doing((rooms) => rooms.markAllRead()) },
  { label: strings.shortcuts.title, icon: 'keyboard', act: () => openShortcuts() },
];

/** A section of the list. When it is folded, it still shows the open room, and rooms with something for the user. */
function Part({ name, rooms }: Section) {
  const { value } = route;
  const isFolded = foldedSections.value.includes(name);
  const isOpen = ({ id }: MyRoom) => value.name === 'room' && value.room === id;
  const shown = isFolded ? rooms.filter((room) => isOpen(room) || countForMe(room) > 0) : rooms;
  if (name === 'favourites' && rooms.length === 0) return null;
  const hasNone = name === 'rooms' && sections.value?.every((section) => section.rooms.length === 0);
  return (
    <section aria-labelledby={`section-${name}`}>
      <h2>
        <button type="button" id={`section-${name}`} class="fold" aria-expanded={!isFolded} onClick={() => toggleSection(name)}>
          {strings.rooms.sections[name]}
          <Icon name="unfold" />
        </button>
        {name === 'rooms' && mayMakeRooms() && (
          <IconButton icon="plus" label={strings.directory.create} onPress={() => void openNewRoom()} />
        )}
        {name === 'direct' && <IconButton icon="plus" label={strings.rooms.direct} onPress={() => void openNewConversation()} />}
      </h2>
      <ul>
        {shown.map((room) => (
          <RoomLink key={room.id} room={room} isCurrent={isOpen(room)} />
        ))}
        {hasNone && <li class="muted">{strings.rooms.none}</li>}
      </ul>
    </section>
  );
}

function RoomLink({ room, isCurrent }: { room: MyRoom; isCurrent: boolean }) {
  const { id, isMuted, isDirect, mentions, people } = room;
  const isUnread = room.unread > 0 && !isMuted;
  const count = countForMe(room);
  const item = useRef<HTMLLIElement>(null);
  // The open room also stays in view when the order changes, unless the user is looking for something in the list.
  useLayoutEffect(() => {
    if (isCurrent && !item.current?.matches('.rooms:is(:hover, :focus-within) li'))
      item.current?.scrollIntoView({ block: 'nearest' });
  }, [room.order]);
  useLayoutEffect(() => {
    if (isCurrent) item.current?.scrollIntoView({ block: 'nearest' });
  }, [isCurrent]);
  const [first] = people;
  const other = people.length === 1 ? first : undefined;
  const name = safeName(room.name);
  const showMenu = (event: Event) => {
    event.preventDefault();
    item.current?.querySelector('button')?.click();
  };
  return (
    <li ref={item}>
      <a
        class={isUnread ? 'room unread' : 'room'}
        href={roomPath(id)}
        aria-current={isCurrent ? 'page' : undefined}
        onContextMenu={showMenu}
      >
        {isDirect ? (
          <span class="face">
            <Avatar person={first ?? { username: room.name }} id={first?.id ?? id} />
            {other && <PresenceDot user={other.id} />}
          </span>
        ) : (
          <RoomMark id={id} avatar={room.avatar} />
        )}
        <span class="name" title={people.some((one) => one.name !== undefined) ? usernamesOf(people) : name}>
          <bdi>{name}</bdi>
          {other && <StatusMark status={statusOf(other.id)} />}
        </span>
        {other && <PresenceText user={other.id} />}
        {!isCurrent && drafted.value.has(id) && (
          <>
            <Icon name="edit" />
            <span class="visually-hidden">{strings.rooms.draft}</span>
          </>
        )}
        {isMuted && (
          <>
            <Icon name="mute" />
            <span class="visually-hidden">{strings.rooms.muted}</span>
          </>
        )}
        {mentions > 0 && <span class="visually-hidden">{strings.rooms.mentions(mentions)}</span>}
        {isUnread && <span class="visually-hidden">{strings.rooms.unread(room.unread)}</span>}
        {count > 0 && (
          <span class="count" aria-hidden="true">
            {count > 99 ? '99+' : count}
          </span>
        )}
      </a>
      <MenuButton label={strings.rooms.actions(name)} items={() => actionsOf(room)} />
    </li>
  );
}

const usernamesOf = (people: MyRoom['people']) => listOf(people.map(({ username }) => `@${username}`));

/** The menu of a room in the list. */
function actionsOf({ id, seq, isFavourite, isMuted, isDirect, unread }: MyRoom): MenuItem[] {
  return [
    {
      label: isFavourite ? strings.rooms.notFavourite : strings.rooms.favourite,
      icon: isFavourite ? 'notFavourite' : 'favourite',
      act: doing((rooms) => rooms.setFavourite(id, !isFavourite)),
    },
    ...(actions && isFavourite ? actions.movesOf(id) : []),
    {
      label: isMuted ? strings.rooms.unmute : strings.rooms.mute,
      icon: isMuted ? 'bell' : 'mute',
      act: doing((rooms) => rooms.setMuted(id, !isMuted)),
    },
    ...(unread > 0
      ? [{ label: strings.rooms.markRead, icon: 'check' as const, act: () => moveMarker(id, seq) && sync.run() }]
      : []),
    isDirect
      ? { label: strings.details.hide, icon: 'close', act: doing((rooms) => rooms.hide(id)) }
      : { label: strings.details.leave, icon: 'logOut', act: doing((rooms) => rooms.leave(id)), isDangerous: true },
  ];
}

/** Signs out; asks first when there are messages or drafts that were not sent. */
async function leave(): Promise<void> {
  const [unsent, drafts] = [outbox.value.length, await countDrafts()];
  const isSure = unsent + drafts === 0 || (await confirmed(strings.outbox.unsentAsk(unsent, drafts), strings.rooms.logOut));
  if (!isSure) return;
  if (await attempt(signOut)) go('/login', { replace: true });
}
