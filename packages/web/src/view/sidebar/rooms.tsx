import { useComputed } from '@preact/signals';
import { useEffect, useRef, useState } from 'preact/hooks';
import { mayMakeRooms } from '../../account/session.ts';
import { lateCode } from '../../device/late-code.ts';
import { roomPath, route } from '../../device/routes.ts';
import { listOf } from '../../i18n/locale.ts';
import { strings } from '../../i18n/strings.ts';
import type { MyRoom } from '../../store/kept.ts';
import { statusOf } from '../../store/people/names.ts';
import { countForMe } from '../../store/rooms/counts.ts';
import { moveMarker } from '../../store/rooms/rooms.ts';
import { foldedSections, type Section, sections, toggleSection } from '../../store/rooms/sections.ts';
import { drafted } from '../../store/unsent/drafts.ts';
import { sync } from '../../sync/sync.ts';
import { safeName } from '../../text/names.ts';
import { PeopleMark, RoomMark } from '../people/avatar.tsx';
import { PresenceDot, PresenceText } from '../people/presence.tsx';
import { IconButton, StatusMark } from '../shared/controls.tsx';
import { Icon } from '../shared/icon.tsx';
import { MenuButton, type MenuItem } from '../shared/menu.tsx';
import { openNewConversation, openNewRoom } from './keys.tsx';

type Actions = typeof import('./room-actions.ts');
let actions: Actions | undefined;
const loadActions = lateCode(async () => {
  actions ??= await import('./room-actions.ts');
  return actions;
});

/** Has it there by the time a menu is opened, or a favourite is dragged. */
export const prepare = () => void loadActions().catch(() => {});

/** Runs an action on rooms, at once if its code is loaded. */
export const doing = (act: (actions: Actions) => unknown) => () => (actions ? act(actions) : loadActions().then(act));

/**
 * A section of the list. When it is folded, it still shows the open room, and rooms with something
 * for the user.
 */
export function Part({ name, rooms }: Section) {
  const drawn = useRef(new Map<string, MyRoom>());
  const { value } = route;
  const isFolded = foldedSections.value.includes(name);
  const isOpen = ({ id }: MyRoom) => value.name === 'room' && value.room === id;
  const listed = isFolded ? rooms.filter((room) => isOpen(room) || countForMe(room) > 0) : rooms;
  const { from, to } = useGrowing(listed.length, listed.findIndex(isOpen));
  const shown = listed.slice(from, to);
  const hasNone = name === 'rooms' && sections.value?.every((section) => section.rooms.length === 0);
  // A room that looks the same stays the same object, so that its row is not drawn again. There may
  // be a thousand.
  const rows = shown.map((room) => {
    const before = drawn.current.get(room.id);
    return before && looksAlike(before, room) ? before : room;
  });
  drawn.current = new Map(rows.map((room) => [room.id, room]));
  if (name === 'favourites' && rooms.length === 0) return null;
  return (
    <section aria-labelledby={`section-${name}`}>
      <div class="section-head">
        <h2>
          <button type="button" id={`section-${name}`} class="fold" aria-expanded={!isFolded} onClick={() => toggleSection(name)}>
            {strings.rooms.sections[name]}
            <Icon name="unfold" />
          </button>
        </h2>
        {name === 'rooms' && mayMakeRooms() && (
          <IconButton icon="plus" label={strings.directory.create} onPress={() => void openNewRoom()} />
        )}
        {name === 'direct' && <IconButton icon="plus" label={strings.rooms.direct} onPress={() => void openNewConversation()} />}
      </div>
      <ul style={{ '--above': from, '--below': Math.max(0, listed.length - to) }}>
        {rows.map((room) => (
          <RoomLink key={room.id} room={room} isCurrent={isOpen(room)} />
        ))}
        {hasNone && <li class="muted">{strings.rooms.none}</li>}
      </ul>
      {name === 'rooms' && !isFolded && (
        <a class="room browse" href="/directory" aria-current={value.name === 'directory' ? 'page' : undefined}>
          <Icon name="compass" /> {strings.rooms.browse}
        </a>
      )}
    </section>
  );
}

/** How many rows are drawn at a time: drawing a thousand at once would visibly block the page. */
const portion = 80;

/**
 * The drawn part of a list: around one of its items at first, and more whenever the browser is
 * idle, until it is complete.
 */
function useGrowing(length: number, around: number): { from: number; to: number } {
  const [drawn, setDrawn] = useState(() => {
    const first = Math.max(0, around - portion / 2);
    return { from: first, to: first + portion };
  });
  const isWhole = drawn.from === 0 && drawn.to >= length;
  useEffect(() => {
    if (isWhole) return undefined;
    const grow = () => setDrawn(({ from, to }) => ({ from: Math.max(0, from - portion / 2), to: to + portion / 2 }));
    const isIdleKnown = 'requestIdleCallback' in window;
    const task = isIdleKnown ? requestIdleCallback(grow, { timeout: 100 }) : setTimeout(grow, 50);
    return () => (isIdleKnown ? cancelIdleCallback(task as number) : clearTimeout(task));
  });
  // The row that the user goes to is drawn at once.
  const isFar = around >= 0 && (around < drawn.from || around >= drawn.to);
  return isFar
    ? { from: Math.min(drawn.from, around), to: Math.max(drawn.to, around + 1) }
    : { ...drawn, to: Math.min(drawn.to, length) };
}

/**
 * True if two states of a room look the same in the list. Its place among all rooms does not
 * matter.
 */
const looksAlike = (one: MyRoom, other: MyRoom): boolean =>
  one === other || (Object.keys(other) as (keyof MyRoom)[]).every((key) => key === 'order' || one[key] === other[key]);

function RoomLink({ room, isCurrent }: { room: MyRoom; isCurrent: boolean }) {
  const { id, isMuted, isDirect, mentions, people } = room;
  const isUnread = room.unread > 0 && !isMuted;
  const count = countForMe(room);
  // Typing in one room does not redraw the rows of others.
  const hasDraft = useComputed(() => drafted.value.has(id)).value;
  const item = useRef<HTMLLIElement>(null);
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
            <PeopleMark room={room} />
            {other && <PresenceDot user={other.id} />}
          </span>
        ) : (
          <RoomMark id={id} avatar={room.avatar} isOpen={room.isOpen} />
        )}
        <span class="name" title={people.some((one) => one.name !== undefined) ? usernamesOf(people) : name}>
          <bdi>{name}</bdi>
          {other && <StatusMark status={statusOf(other.id)} />}
        </span>
        {other && <PresenceText user={other.id} />}
        {!isDirect && room.isOpen === false && <span class="visually-hidden">{strings.rooms.closed}</span>}
        {!isCurrent && hasDraft && (
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
