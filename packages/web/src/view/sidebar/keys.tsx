import { isComposing, shortcutKey } from '../../device/keyboard.ts';
import { lateCode } from '../../device/late-code.ts';
import { go, roomPath, route } from '../../device/routes.ts';
import { strings } from '../../i18n/strings.ts';
import type { MyRoom } from '../../store/kept.ts';
import { roomsInOrder } from '../../store/rooms/sections.ts';
import { intentOf } from '../../store/scroll-intent.ts';
import { timelineOf } from '../../store/timelines.ts';
import { openDialog } from '../shared/dialog.tsx';
import { focusComposer, returnToComposer, takesText } from '../shared/focus.ts';

/**
 * Handles the global keys; returns a function that ends it. Keys of one letter only work while a
 * message has the focus.
 */
export function listenToKeys(): () => void {
  addEventListener('keydown', onKey);
  return () => removeEventListener('keydown', onKey);
}

function onKey(event: KeyboardEvent): void {
  if (event.defaultPrevented || document.querySelector('dialog[open], .popover')) return;
  if (isTyping(event)) return void focusComposer(document.activeElement);
  if (isComposing(event)) return;
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
  void act();
}

/**
 * True if a key types text while the focus is not in a field. The text is meant for a message, and
 * the field that gets the focus now receives the character. A space presses the focused element
 * instead.
 */
function isTyping(event: KeyboardEvent): boolean {
  if (takesText(event.target) || event.metaKey) return false;
  // Some characters need AltGr, which some systems report as Ctrl and Alt.
  if ((event.ctrlKey || event.altKey) && !event.getModifierState('AltGraph')) return false;
  return event.keyCode === 229 || event.key === 'Dead' || ([...event.key].length === 1 && event.key !== ' ');
}

function step(by: number, isUnreadOnly: boolean): void {
  const { value } = route;
  const list = roomsInOrder();
  const at = value.name === 'room' ? list.findIndex(({ id }) => id === value.room) : by > 0 ? -1 : list.length;
  for (let next = at + by; next >= 0 && next < list.length; next += by) {
    const room = list[next] as MyRoom;
    if (isUnreadOnly && room.unread === 0) continue;
    go(roomPath(room.id));
    return;
  }
}

/** Moves the focus between the list of rooms, the messages, the composer, and the panel beside. */
function nextPane(by: number): void {
  const find = (selector: string) => [...document.querySelectorAll<HTMLElement>(selector)];
  const panes = [
    ['.sidebar', find('#rooms .rooms a[aria-current]')[0] ?? find('#rooms .rooms a')[0]],
    ['.messages', find('#messages li[data-seq]').at(-1)],
    ['.room-pane .composer', find('.room-pane .composer textarea')[0]],
    ['main.pane', find('main.pane :is(a, button, input)')[0]],
    ['.side', find('#side')[0]],
  ].filter((pane): pane is [string, HTMLElement] => pane[1] !== undefined);
  const at = panes.findIndex(([place]) => document.activeElement?.closest(place));
  panes[(Math.max(at, by > 0 ? -1 : 0) + by + panes.length) % panes.length]?.[1].focus();
}

/** Closes the panel beside, or goes to the newest messages. */
function closeSide(): void {
  const { value } = route;
  if (value.name === 'list' && value.list !== 'threads') go('/');
  if (value.name !== 'room') return;
  if (value.thread !== undefined || value.panel !== undefined) go(roomPath(value.room));
  else void intentOf(timelineOf(value.room)).goToEnd();
  returnToComposer();
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

const loadForms = lateCode(() => import('./new-room.tsx'));

/** Opens the form for a new room. */
export async function openNewRoom(): Promise<void> {
  const { NewRoom } = await loadForms();
  openDialog(strings.directory.create, (close) => <NewRoom close={close} />);
}

/** Opens the form for a conversation with a few people. */
export async function openNewConversation(): Promise<void> {
  const { NewConversation } = await loadForms();
  openDialog(strings.rooms.direct, (close) => <NewConversation close={close} />);
}

const loadSwitcher = lateCode(() => import('./switcher.tsx'));

/** Opens a list of my rooms that narrows as one types. */
export async function openSwitcher(): Promise<void> {
  const { Switcher } = await loadSwitcher();
  const openers = { newConversation: openNewConversation, newRoom: openNewRoom, shortcuts: openShortcuts };
  openDialog(strings.rooms.switchTo, (close) => <Switcher close={close} openers={openers} />, undefined, { isTitleHidden: true });
}
