import { matchesName, startsName } from 'chat-service-rules/words/names';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { isComposing } from '../../device/keyboard.ts';
import { go, roomPath } from '../../device/routes.ts';
import { strings } from '../../i18n/strings.ts';
import type { MyRoom } from '../../store/kept.ts';
import { hasBegun } from '../../store/rooms/hidden.ts';
import { rooms } from '../../store/rooms/rooms.ts';
import { safeName } from '../../text/names.ts';

type SwitcherProps = { close: () => void; onPick?: (room: MyRoom) => void };
/** By what a room is found: its name and, of a conversation, also the usernames. */
const namesOf = ({ name, people }: MyRoom) => [name, ...people.map(({ username }) => username)].join(' ');

/** A list of my rooms that narrows as one types: those whose names begin so come first, and then those in which something was said last. */
export function Switcher({ close, onPick = ({ id }) => go(roomPath(id)) }: SwitcherProps) {
  const [word, setWord] = useState('');
  const [index, setIndex] = useState(0);
  const found = (rooms.value ?? [])
    .filter(hasBegun)
    .filter((room) => word === '' || matchesName(namesOf(room), word))
    .sort((one, other) => Number(startsName(other.name, word)) - Number(startsName(one.name, word)))
    .slice(0, 12);
  const list = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => list.current?.querySelector('[aria-selected=true]')?.scrollIntoView({ block: 'nearest' }), [index]);
  const open = (room: MyRoom | undefined) => {
    if (!room) return;
    close();
    onPick(room);
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
              {room.people.length === 1 && room.people[0]?.name !== undefined && (
                <small class="muted">
                  {' '}
                  <bdi>@{room.people[0].username}</bdi>
                </small>
              )}
            </span>
            {room.unread > 0 && <span class="count">{room.unread}</span>}
          </div>
        ))}
      </div>
    </div>
  );
}
