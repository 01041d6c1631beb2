import { firstCharacters } from 'chat-service-rules/shortened';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { me } from '../../account/session.ts';
import { isComposing } from '../../device/keyboard.ts';
import { go, roomPath, route } from '../../device/routes.ts';
import { strings } from '../../i18n/strings.ts';
import { laterStrings } from '../../i18n/strings-later.ts';
import { ask, chat } from '../../service/api.ts';
import { idOf } from '../../service/ids.ts';
import { addressOf, searchIn } from '../../store/found.ts';
import type { MyRoom } from '../../store/kept.ts';
import { hasBegun } from '../../store/rooms/hidden.ts';
import { recentRooms } from '../../store/rooms/last-room.ts';
import { roomOf, rooms } from '../../store/rooms/rooms.ts';
import { sync } from '../../sync/sync.ts';
import { attempt } from '../shared/controls.tsx';
import { Icon } from '../shared/icon.tsx';
import { findPeople } from '../text/people-options.tsx';
import { JumpOption } from './jump-option.tsx';
import { type FoundPerson, type OtherRoom, optionsFor } from './jump-options.ts';
import { type Openers, type PageOption, pageCommands } from './page-commands.ts';
import './switcher.css';
import { composeNext } from '../shared/focus.ts';

/** The pause in typing before the service is asked, in milliseconds. */
const pauseMs = 120;

type SwitcherProps = {
  close: () => void;
  /**
   * Called with the chosen room or conversation, instead of opening it. Other choices are hidden
   * then.
   */
  onPick?: (room: MyRoom) => void;
  /** The dialogs that commands open; without them, the list lacks commands. */
  openers?: Openers;
};

/** People, rooms, commands and the search in one list, which narrows as one types. */
export function Switcher({ close, onPick, openers }: SwitcherProps) {
  const [typed, setTyped] = useState('');
  const [chosen, setChosen] = useState<string>();
  const { people, others, isLooking } = useFound(typed, onPick === undefined);
  const isEnterWaiting = useRef(false);
  const list = useRef<HTMLDivElement>(null);
  const { value: at } = route;
  const groups = optionsFor(typed, {
    rooms: (rooms.value ?? []).filter(hasBegun),
    recent: recentRooms(idOf(me())),
    current: at.name === 'room' && !onPick ? at.room : undefined,
    people,
    others,
    commands: openers ? pageCommands(openers) : [],
  }).filter(({ name }) => !(onPick && name === 'search'));
  const options = groups.flatMap((group) => group.options);
  const index = Math.max(
    0,
    options.findIndex(({ key }) => key === chosen),
  );
  const found = options[index];

  useLayoutEffect(() => list.current?.querySelector('[aria-selected=true]')?.scrollIntoView({ block: 'nearest' }), [found?.key]);
  const open = (option: PageOption | undefined) => option && void attempt(() => act(option, close, onPick));
  // Enter came before the people were there: it means the first of them, rather than the search.
  const isSure = !isLooking || options.some(({ kind }) => kind === 'room');
  useEffect(() => {
    if (!isEnterWaiting.current || !isSure) return;
    isEnterWaiting.current = false;
    open(found);
  }, [isSure, found?.key]);
  const onKey = (event: KeyboardEvent) => {
    if (isComposing(event)) return;
    const next = { ArrowDown: index + 1, ArrowUp: index - 1 + options.length }[event.key];
    if (event.key === 'Enter') {
      if (isSure || chosen !== undefined) open(found);
      else isEnterWaiting.current = true;
    } else if (next !== undefined && options.length > 0) setChosen(options[next % options.length]?.key);
    else return;
    event.preventDefault();
  };
  return (
    <div class="switcher">
      <div class="switcher-field">
        <Icon name="search" />
        <input
          type="text"
          role="combobox"
          aria-label={onPick ? laterStrings.jump.roomOrPerson : strings.rooms.switchTo}
          placeholder={onPick ? laterStrings.jump.roomOrPerson : laterStrings.jump.anything}
          aria-expanded="true"
          aria-controls="switcher-options"
          aria-activedescendant={found ? `switcher-${index}` : undefined}
          autocomplete="off"
          spellcheck={false}
          // biome-ignore lint/a11y/noAutofocus: the dialog was opened to type into it
          autoFocus
          onInput={({ currentTarget }) => {
            setTyped(currentTarget.value.trim());
            setChosen(undefined);
            isEnterWaiting.current = false;
          }}
          onKeyDown={onKey}
        />
      </div>
      <div ref={list} id="switcher-options" role="listbox" aria-label={strings.composer.suggestions}>
        {groups.map(({ name, options: ofGroup }) => (
          // biome-ignore lint/a11y/useSemanticElements: a group of options
          <div key={name} role="group" aria-labelledby={`switcher-${name}`}>
            <p id={`switcher-${name}`} class="switcher-group" role="presentation">
              {laterStrings.jump.groups[name]}
            </p>
            {ofGroup.map((option) => {
              const at = options.indexOf(option);
              return (
                <JumpOption
                  key={option.key}
                  option={option}
                  id={`switcher-${at}`}
                  isChosen={at === index}
                  onPick={() => open(option)}
                />
              );
            })}
          </div>
        ))}
        {options.length === 0 && !isLooking && <p class="muted center">{laterStrings.lists.noMatches}</p>}
      </div>
    </div>
  );
}

/**
 * Finds people and other rooms as one types. Those for an earlier word stay until those for the
 * next are there.
 */
function useFound(typed: string, withRooms: boolean) {
  const [found, setFound] = useState<{ typed: string; people: FoundPerson[]; others: OtherRoom[] }>({
    typed: '',
    people: [],
    others: [],
  });
  useEffect(() => {
    let isWanted = true;
    const find = async () => {
      const [people, others] =
        typed === '' ? [[], []] : await Promise.all([findPeople(typed), withRooms ? findRooms(typed) : []]);
      if (isWanted) setFound({ typed, people, others });
    };
    const timer = setTimeout(() => void find(), typed === '' ? 0 : pauseMs);
    return () => {
      isWanted = false;
      clearTimeout(timer);
    };
  }, [typed]);
  return { ...found, isLooking: found.typed !== typed };
}

async function findRooms(q: string): Promise<OtherRoom[]> {
  const query = { q: firstCharacters(q, 100), limit: 10 };
  const listed = await ask(chat.GET('/api/directory', { params: { query } })).catch(() => []);
  return listed.map(({ _id, name, avatar, is_open }) => ({ id: _id.$oid, name, avatar, isOpen: is_open }));
}

/**
 * Opens the chosen place, or runs the chosen command. The dialog closes first, because it returns
 * the focus.
 */
async function act(option: PageOption, close: () => void, onPick: SwitcherProps['onPick']): Promise<unknown> {
  if (option.kind === 'command') {
    close();
    return option.command.act();
  }
  if (option.kind === 'search') {
    close();
    return go(searchPath(option.words));
  }
  const room = option.kind === 'person' ? await conversationWith(option.person) : option.room.id;
  close();
  const mine = roomOf(room);
  if (onPick) return mine && onPick(mine);
  go(roomPath(room));
  return composeNext();
}

async function conversationWith({ id }: FoundPerson): Promise<string> {
  const room = await ask(chat.POST('/api/conversations', { body: { users: [id] } }));
  await sync.readRooms({ all: true });
  return idOf(room);
}

/** The address of a search in all rooms, beside the open one. */
function searchPath(words: string): string {
  const { value } = route;
  const room = value.name === 'room' ? value.room : (recentRooms(idOf(me())).find(roomOf) ?? rooms.value?.[0]?.id);
  return room === undefined ? '/' : `${roomPath(room)}${addressOf({ ...searchIn('', room), words, room: undefined }, room)}`;
}
