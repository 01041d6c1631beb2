import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { isComposing, shortcutKey } from '../keyboard.ts';
import { go, roomPath, route } from '../routes.ts';
import { hasBegun, isListed } from '../store/hidden.ts';
import type { MyRoom } from '../store/kept.ts';
import { rooms } from '../store/rooms.ts';
import { knownTimeline } from '../store/timelines.ts';
import { strings } from '../strings.ts';
import { safeName } from '../text/names.ts';
import { openDialog } from './dialog.tsx';

/** Listens to the keys that work everywhere; returns how to end it. Keys of one letter work only in messages, where they have the focus. */
export function listenToKeys(): () => void {
  addEventListener('keydown', onKey);
  return () => removeEventListener('keydown', onKey);
}

function onKey(event: KeyboardEvent): void {
  if (event.defaultPrevented || isComposing(event) || document.querySelector('dialog[open]')) return;
  const isCommand = event.ctrlKey || event.metaKey;
  const key = shortcutKey(event);
  const act =
    isCommand && key === 'k'
      ? openSwitcher
      : isCommand && key === '/'
        ? openShortcuts
        : event.altKey && key === 'ArrowDown'
          ? () => step(1, event.shiftKey)
          : event.altKey && key === 'ArrowUp'
            ? () => step(-1, event.shiftKey)
            : key === 'F6'
              ? () => nextPane(event.shiftKey ? -1 : 1)
              : key === 'Escape'
                ? closeSide
                : undefined;
  if (!act) return;
  event.preventDefault();
  act();
}

function step(by: number, isUnreadOnly: boolean): void {
  const { value } = route;
  const list = (rooms.value ?? []).filter(isListed);
  const at = value.name === 'room' ? list.findIndex(({ id }) => id === value.room) : by > 0 ? -1 : list.length;
  for (let next = at + by; next >= 0 && next < list.length; next += by) {
    const room = list[next] as MyRoom;
    if (isUnreadOnly && room.unread === 0) continue;
    go(roomPath(room.id));
    return;
  }
}

/** Moves the focus between the list of rooms, the messages, the composer, and what stands beside. */
function nextPane(by: number): void {
  const find = (selector: string) => [...document.querySelectorAll<HTMLElement>(selector)];
  const panes = [
    ['.sidebar', find('#rooms .rooms a[aria-current]')[0] ?? find('#rooms .rooms a, #rooms .browse')[0]],
    ['.messages', find('#messages li[data-seq]').at(-1)],
    ['.room-pane .composer', find('.room-pane .composer textarea')[0]],
    ['main.pane', find('main.pane :is(a, button, input)')[0]],
    ['.side', find('#side')[0]],
  ].filter((pane): pane is [string, HTMLElement] => pane[1] !== undefined);
  const at = panes.findIndex(([place]) => document.activeElement?.closest(place));
  panes[(Math.max(at, by > 0 ? -1 : 0) + by + panes.length) % panes.length]?.[1].focus();
}

/** Closes what stands beside, or goes to the newest messages. */
function closeSide(): void {
  const { value } = route;
  if (value.name !== 'room') return;
  if (value.thread !== undefined || value.panel !== undefined) go(roomPath(value.room));
  else void knownTimeline(value.room)?.goToEnd();
  document.querySelector<HTMLElement>('.room-pane .composer textarea')?.focus();
}

/** Opens the list of shortcuts. */
export const openShortcuts = (): void =>
  openDialog(strings.shortcuts.title, () => (
    <dl class="shortcuts">
      {strings.shortcuts.keys.map(([keys, action]) => (
        <div key={keys}>
          <dt>
            <kbd dir="auto">{keys}</kbd>
          </dt>
          <dd>{action}</dd>
        </div>
      ))}
    </dl>
  ));

/** Opens a list of my rooms that narrows as one types. */
export const openSwitcher = (): void => openDialog(strings.rooms.switchTo, (close) => <Switcher close={close} />);

function Switcher({ close }: { close: () => void }) {
  const [word, setWord] = useState('');
  const [index, setIndex] = useState(0);
  const found = (rooms.value ?? [])
    .filter(hasBegun)
    .filter(({ name }) => name.toLowerCase().includes(word.toLowerCase()))
    .slice(0, 12);
  const list = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => list.current?.querySelector('[aria-selected=true]')?.scrollIntoView({ block: 'nearest' }), [index]);
  const open = (room: MyRoom | undefined) => {
    if (!room) return;
    close();
    go(roomPath(room.id));
  };
  const onKey = (event: KeyboardEvent) => {
    if (isComposing(event)) return;
    if (event.key === 'Enter') open(found[index]);
    else if (event.key === 'ArrowDown') setIndex(Math.min(found.length - 1, index + 1));
    else if (event.key === 'ArrowUp') setIndex(Math.max(0, index - 1));
    else return;
    event.preventDefault();
  };
  return (
    <div class="switcher">
      <input
        type="text"
        role="combobox"
        aria-label={strings.rooms.find}
        placeholder={strings.rooms.find}
        aria-expanded="true"
        aria-controls="switcher-rooms"
        aria-activedescendant={found[index] ? `switcher-${index}` : undefined}
        autocomplete="off"
        // biome-ignore lint/a11y/noAutofocus: the dialog was opened to type into it
        autoFocus
        onInput={({ currentTarget }) => {
          setWord(currentTarget.value.trim());
          setIndex(0);
        }}
        onKeyDown={onKey}
      />
      <div ref={list} id="switcher-rooms" role="listbox" aria-label={strings.rooms.title}>
        {found.map((room, at) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the field that has the focus takes the keys
          // biome-ignore lint/a11y/useFocusableInteractive: the focus stays in the field
          <div key={room.id} id={`switcher-${at}`} role="option" aria-selected={at === index} onClick={() => open(room)}>
            <span>
              <bdi>{safeName(room.name)}</bdi>
            </span>
            {room.unread > 0 && <span class="count">{room.unread}</span>}
          </div>
        ))}
      </div>
    </div>
  );
}
