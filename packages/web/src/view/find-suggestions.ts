import { matchesPerson, startsName } from '../../../client/src/words/names.ts';
import { ask, chat } from '../api.ts';
import { idOf } from '../ids.ts';
import { me } from '../session.ts';
import { roles } from '../store/members.ts';
import { findMembers } from '../store/more-members.ts';
import type { Person } from '../store/names.ts';
import { roomOf } from '../store/rooms.ts';
import { aboutRoom } from '../store/topics.ts';
import { strings } from '../strings.ts';
import { forEveryone } from '../text/names.ts';

/** What may be put in place of the last characters before the caret. `isMeant` says that Enter puts it there, too. */
export type Suggestion = {
  text: string;
  shown: string;
  detail: string;
  name?: string | undefined;
  replaces: number;
  isMeant: boolean;
  /** The same for what stands there now, until that is looked for; undefined where it is not what is typed there. */
  of: (typed: string) => Suggestion | undefined;
};

/** Makes the suggestion for one thing from the word that was typed of it after a sign. */
function suggest(
  sign: RegExp,
  start: string,
  make: (start: string) => Omit<Suggestion, 'replaces' | 'of'> | undefined,
  signs = 1,
): Suggestion[] {
  const made = make(start);
  const of = (typed: string) => (sign.test(typed) ? suggest(sign, typed.slice(signs), make, signs)[0] : undefined);
  return made ? [{ ...made, replaces: start.length + signs, of }] : [];
}

const most = 8;

/** The emoji whose codes begin with what was typed. */
export async function findCodes(code: string): Promise<Suggestion[]> {
  const { findEmoji, isFoundBy } = await import('../text/emoji.ts');
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

const afterAt = /^[@＠]\S*$/;

/** The members of a room of whose names a word begins with what was typed. */
export async function findNames(room: string, start: string): Promise<Suggestion[]> {
  // One more, as it may be me.
  const found = await findMembers(room, start, most + 1);
  const others = found.filter(({ user }) => user.$oid !== idOf(me()));
  return [...suggestNames(others, start, afterAt, (name) => `@${name} `), ...everyoneIn(room, start)].slice(0, most);
}

/** What addresses everyone in a room, for those who may. */
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

/** The people whom one may find, of whose names a word begins with what was typed, for a list of names. */
export async function findPeople(start: string): Promise<Suggestion[]> {
  const query = { q: start, limit: most + 1 };
  const found = await ask(chat.GET('/api/users', { params: { query } })).catch(() => []);
  const others = found.filter((user) => idOf(user) !== idOf(me()));
  return suggestNames(others, start, /^[^\s,@]+$/, (name) => `${name}, `, 0);
}

/** The names of people; a username that was typed in full needs nothing more. */
function suggestNames(
  people: readonly Person[],
  typed: string,
  sign: RegExp,
  write: (username: string) => string,
  signs?: number,
): Suggestion[] {
  const isWhole = (start: string) => start === '' || people.some(({ username }) => username === start.toLowerCase());
  return people.slice(0, most).flatMap((person) => {
    const { username, name } = person;
    const make = (start: string) => {
      if (start !== typed && !matchesPerson(person, start)) return undefined;
      const isStarted = startsName(username, start) || startsName(name ?? '', start);
      return { text: write(username), shown: '@', detail: username, name, isMeant: !isWhole(start) && isStarted };
    };
    return suggest(sign, typed, make, signs);
  });
}
