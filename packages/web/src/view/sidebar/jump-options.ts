import { comparePersons, matchesName, startsName } from 'chat-service-rules/words/names';
import type { MyRoom } from '../../store/kept.ts';
import type { Person } from '../../store/people/names.ts';

/* The options of "Search or jump to…", and their order. */

export type FoundPerson = Person & { id: string };
/** A room of the directory that the user is not in. */
export type OtherRoom = { id: string; name: string; avatar?: string | undefined; isOpen: boolean };
/** A command of the page; `words` are more words that find it. */
export type Command = { label: string; words?: string };

export type Option<C extends Command> =
  | { kind: 'room'; key: string; room: MyRoom }
  | { kind: 'person'; key: string; person: FoundPerson }
  | { kind: 'other'; key: string; room: OtherRoom }
  | { kind: 'command'; key: string; command: C }
  | { kind: 'search'; key: string; words: string };

export type GroupName = 'recent' | 'rooms' | 'people' | 'others' | 'commands' | 'search';
export type OptionGroup<C extends Command> = { name: GroupName; options: readonly Option<C>[] };

type Sources<C extends Command> = {
  rooms: readonly MyRoom[];
  /** The ids of the rooms that were opened last. */
  recent: readonly string[];
  /** The id of the room that is open. */
  current: string | undefined;
  people: readonly FoundPerson[];
  others: readonly OtherRoom[];
  commands: readonly C[];
};

const most = { recent: 7, rooms: 6, people: 5, others: 4, commands: 4 };

/** By what a room is found: its name and, for a conversation, the usernames. */
export const namesOfRoom = ({ name, people }: MyRoom): string => [name, ...people.map(({ username }) => username)].join(' ');

/** The options for the typed text, in groups that are not empty. */
export function optionsFor<C extends Command>(typed: string, sources: Sources<C>): OptionGroup<C>[] {
  const groups = typed === '' ? withoutWords(sources) : withWords(typed, sources);
  return groups.filter(({ options }) => options.length > 0);
}

function withoutWords<C extends Command>({ rooms, recent, current, commands }: Sources<C>): OptionGroup<C>[] {
  const place = ({ id }: MyRoom) => (recent.includes(id) ? recent.indexOf(id) : recent.length);
  const opened = rooms.filter(({ id }) => id !== current).toSorted((one, other) => place(one) - place(other));
  return [
    { name: 'recent', options: opened.slice(0, most.recent).map(optionOfRoom) },
    { name: 'commands', options: commands.slice(0, most.commands).map(optionOfCommand) },
  ];
}

function withWords<C extends Command>(typed: string, { rooms, people, others, commands }: Sources<C>): OptionGroup<C>[] {
  const found = rooms
    .filter((room) => matchesName(namesOfRoom(room), typed))
    .toSorted((one, other) => Number(startsName(other.name, typed)) - Number(startsName(one.name, typed)))
    .slice(0, most.rooms);
  // A person with a conversation is listed among the rooms.
  const listed = new Set(found.flatMap((room) => (room.people.length === 1 ? room.people.map(({ id }) => id) : [])));
  const strangers = people.filter(({ id }) => !listed.has(id)).toSorted(comparePersons(typed));
  const mine = new Set(rooms.map(({ id }) => id));
  const meant = commands.filter(({ label, words = '' }) => matchesName(`${label} ${words}`, typed));
  return [
    { name: 'rooms', options: found.map(optionOfRoom) },
    {
      name: 'people',
      options: strangers.slice(0, most.people).map((person) => ({ kind: 'person', key: `person ${person.id}`, person })),
    },
    {
      name: 'others',
      options: others
        .filter(({ id }) => !mine.has(id))
        .slice(0, most.others)
        .map((room) => ({ kind: 'other', key: `other ${room.id}`, room })),
    },
    { name: 'commands', options: meant.slice(0, most.commands).map(optionOfCommand) },
    { name: 'search', options: [{ kind: 'search', key: 'search', words: typed }] },
  ];
}

const optionOfRoom = (room: MyRoom): Option<never> => ({ kind: 'room', key: `room ${room.id}`, room });
const optionOfCommand = <C extends Command>(command: C): Option<C> => ({
  kind: 'command',
  key: `command ${command.label}`,
  command,
});
