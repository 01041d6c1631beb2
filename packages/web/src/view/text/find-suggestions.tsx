import { roles } from 'chat-service-rules/permissions';
import { matchesName, matchesPerson, startsName } from 'chat-service-rules/words/names';
import { me } from '../../account/session.ts';
import { strings } from '../../i18n/strings.ts';
import { ask, chat } from '../../service/api.ts';
import { idOf } from '../../service/ids.ts';
import { commandsOf } from '../../store/commands.ts';
import type { MyRoom } from '../../store/kept.ts';
import { findMembers } from '../../store/people/more-members.ts';
import { nameOf, type Person } from '../../store/people/names.ts';
import { roomOf, rooms } from '../../store/rooms/rooms.ts';
import { aboutRoom } from '../../store/rooms/topics.ts';
import { endsInCode } from '../../text/fence.ts';
import { forEveryone } from '../../text/names.ts';
import { Avatar, RoomMark } from '../people/avatar.tsx';

/** A replacement for the characters before the caret. `isMeant` if Enter inserts it too. */
export type Suggestion = {
  text: string;
  /** The mark before it: a sign, a face, or the icon of a room. */
  shown: string | { id: string; person: Person } | MyRoom;
  detail: string;
  name?: string | undefined;
  /** A note beside it. */
  note?: string | undefined;
  replaces: number;
  isMeant: boolean;
  /**
   * The suggestion for the currently typed text, until the search has run; undefined if it does not
   * match.
   */
  of: (typed: string) => Suggestion | undefined;
};

/** Makes the suggestion for one thing from the word that was typed of it after a sign. */
function suggest(
  sign: RegExp,
  start: string,
  make: (start: string) => Omit<Suggestion, 'replaces' | 'of'> | undefined,
): Suggestion[] {
  const made = make(start);
  const of = (typed: string) => (sign.test(typed) ? suggest(sign, typed.slice(1), make)[0] : undefined);
  return made ? [{ ...made, replaces: start.length + 1, of }] : [];
}

const most = 8;

/**
 * How many characters before the caret are examined: more than the longest name, whatever the
 * length of the text.
 */
const longest = 100;

/**
 * The suggestions for the text before the caret: people after `@`, rooms after `#`, emoji after
 * `:`, commands after a leading `/`. Enter inserts a name or a command. It inserts no emoji, and
 * nothing after a lone sign: a colon also comes before words, times and emoticons, and Enter must
 * send these.
 */
export async function findSuggestions(room: string, text: string): Promise<Suggestion[]> {
  const typed = text.slice(-longest);
  const command = /^\/([\w-]{0,32})$/.exec(text)?.[1];
  if (command !== undefined) return findCommands(room, command);
  const name = personName.exec(typed)?.[1];
  const roomName = /(?<![\p{L}\p{N}#/&@.-])#([\p{L}\p{N}][^\n#]{0,60}|)$/u.exec(typed)?.[1];
  const code = /(?:^|\s):((?:[+-]\d|[a-z][a-z0-9_+-]|\d[a-z0-9_+-])[a-z0-9_+-]{0,28})$/i.exec(typed)?.[1];
  if ((name ?? roomName ?? code) === undefined || endsInCode(text)) return [];
  if (name !== undefined) return findNames(room, name);
  if (roomName !== undefined) return findRooms(roomName);
  return findCodes(code as string);
}

/** The typed part of a person's name: a full name has several words. */
const personName =
  /(?<![\w.@＠/-]|\p{sc=Latn}|\p{sc=Grek}|\p{sc=Cyrl})[@＠]([\p{L}\p{M}\p{N}_.-]{0,64}(?: [\p{L}\p{M}\p{N}_.-]{1,32}){0,3})$/u;

/** My rooms with a word in their name that begins with the typed text. */
function findRooms(typed: string): Suggestion[] {
  const named = (rooms.value ?? []).filter(({ isDirect }) => !isDirect);
  const found = named.filter(({ name }) => typed === '' || matchesName(name, typed));
  return found
    .sort((one, other) => Number(startsName(other.name, typed)) - Number(startsName(one.name, typed)))
    .slice(0, most)
    .flatMap((room) =>
      suggest(/^#[^\n#]*$/, typed, (start) => {
        if (start !== typed && !matchesName(room.name, start)) return undefined;
        const isWhole = room.name.toLowerCase() === start.toLowerCase();
        return { text: `#${room.name} `, shown: room, detail: room.name, isMeant: start !== '' && !isWhole };
      }),
    );
}

/** The commands of the room's bots that begin with the typed text. */
async function findCommands(room: string, typed: string): Promise<Suggestion[]> {
  const commands = await commandsOf(room).catch(() => []);
  return commands
    .flatMap(({ name, usage, description, bot }) =>
      suggest(/^\/\S*$/, typed, (start) => {
        const begun = start.toLowerCase();
        if (!name.startsWith(begun)) return undefined;
        const detail = `${[name, usage].filter(Boolean).join(' ')} – ${description} (${nameOf(bot)})`;
        return { text: `/${name} `, shown: '/', detail, isMeant: begun !== '' && begun !== name };
      }),
    )
    .slice(0, most);
}

/** The emoji whose codes begin with the typed text. */
export async function findCodes(code: string): Promise<Suggestion[]> {
  const { findEmoji, isFoundBy } = await import('../../text/emoji.ts');
  return findEmoji(code)
    .slice(0, most)
    .flatMap((emoji) =>
      suggest(/^:\S+$/, code, (start) =>
        isFoundBy(emoji, start)
          ? { text: `${emoji.emoji} `, shown: emoji.emoji, detail: `:${emoji.codes[0]}:`, isMeant: false }
          : undefined,
      ),
    );
}

const afterAt = /^[@＠][^\n@＠]*$/;

/**
 * From how many letters on people are looked for who are not in the room, and how many of them are
 * shown.
 */
const leastForOthers = 2;
const mostOthers = 3;

/**
 * The members of a room with a word in their name that begins with the typed text, and a few other
 * people.
 */
export async function findNames(room: string, start: string): Promise<Suggestion[]> {
  // One more, as it may be me.
  const [members, others] = await Promise.all([findMembers(room, start, most + 1), findOthers(room, start)]);
  const isIn = new Set(members.map(({ user }) => user.$oid));
  const within = members.filter(({ user }) => user.$oid !== idOf(me())).map((member) => ({ ...member, id: member.user.$oid }));
  const without = others.filter(({ id }) => !isIn.has(id)).slice(0, mostOthers);
  const write = (name: string) => `@${name} `;
  return [
    ...suggestNames(within, start, afterAt, write),
    ...everyoneIn(room, start),
    ...suggestNames(without, start, afterAt, write).map((one) => ({ ...one, isMeant: false, note: strings.composer.notInRoom })),
  ].slice(0, most);
}

/**
 * People whom the user can find, in the room or not. Empty for a conversation, which nobody else
 * can join.
 */
async function findOthers(room: string, start: string): Promise<(Person & { id: string })[]> {
  if (roomOf(room)?.isDirect || start.length < leastForOthers) return [];
  return findUsers(start);
}

const findUsers = async (start: string): Promise<(Person & { id: string })[]> => {
  const query = { q: start, limit: most + 1 };
  const found = await ask(chat.GET('/api/users', { params: { query } })).catch(() => []);
  return found.map((user) => ({ ...user, id: idOf(user) })).filter(({ id }) => id !== idOf(me()));
};

/** The names that address everyone in a room, for users who may use them. */
function everyoneIn(room: string, typed: string): Suggestion[] {
  const { member_count: count = 0, mention_all_role: least = 'member' } = aboutRoom(room).details ?? {};
  if (count > mostForAll || roles.indexOf(roomOf(room)?.role ?? 'member') < roles.indexOf(least)) return [];
  return forEveryone.flatMap((word) =>
    suggest(afterAt, typed, (start) =>
      start !== '' && word.startsWith(start.toLowerCase())
        ? {
            text: `@${word} `,
            shown: '@',
            detail: word,
            name: strings.composer.everyone[word],
            isMeant: word !== start.toLowerCase(),
          }
        : undefined,
    ),
  );
}

/** In how large a room a message may address everyone. */
const mostForAll = 1_000;

/** The names of people; a username that was typed in full needs nothing more. */
function suggestNames(
  people: readonly (Person & { id: string })[],
  typed: string,
  sign: RegExp,
  write: (username: string) => string,
): Suggestion[] {
  // A username before a space is complete too: the next word may belong to the message.
  const isWhole = (start: string) =>
    people.some(({ username }) => username === start.toLowerCase().split(' ')[0]) || start === '';
  return people.slice(0, most).flatMap((person) => {
    const { username, name } = person;
    const make = (start: string) => {
      if (start !== typed && !matchesPerson(person, start)) return undefined;
      const isStarted = startsName(username, start) || startsName(name ?? '', start);
      const marked = person.is_bot ? `${nameOf(person)} (${strings.message.bot})` : name;
      const shown = { id: person.id, person };
      return { text: write(username), shown, detail: username, name: marked, isMeant: !isWhole(start) && isStarted };
    };
    return suggest(sign, typed, make);
  });
}

/** The list of suggestions. */
export const SuggestionList = ({
  suggestions,
  index,
  onPick,
}: {
  suggestions: Suggestion[];
  index: number;
  onPick: (picked: Suggestion) => void;
}) => (
  <div class="suggestions" id="suggestions" role="listbox" aria-label={strings.composer.suggestions}>
    {suggestions.map((suggestion, at) => (
      // biome-ignore lint/a11y/useKeyWithClickEvents: the field that has the focus takes the keys
      // biome-ignore lint/a11y/useFocusableInteractive: the focus stays in the field
      <div
        key={suggestion.detail}
        id={`suggestion-${at}`}
        role="option"
        aria-selected={at === index}
        onPointerDown={(event) => event.preventDefault()}
        onClick={() => onPick(suggestion)}
      >
        <span class="shown" aria-hidden="true">
          <Shown of={suggestion.shown} />
        </span>
        <bdi>{suggestion.name ?? suggestion.detail}</bdi>
        {suggestion.name !== undefined && (
          <small class="muted">
            <bdi>@{suggestion.detail}</bdi>
          </small>
        )}
        {suggestion.note !== undefined && <small class="note muted">{suggestion.note}</small>}
      </div>
    ))}
  </div>
);

const Shown = ({ of }: { of: Suggestion['shown'] }) =>
  typeof of === 'string' ? (
    of
  ) : 'person' in of ? (
    <Avatar {...of} />
  ) : (
    <RoomMark id={of.id} avatar={of.avatar} isOpen={of.isOpen} />
  );
