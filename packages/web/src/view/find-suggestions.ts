import { startsName } from '../../../client/src/words/names.ts';
import { ask, chat } from '../api.ts';
import { idOf } from '../ids.ts';
import { me } from '../session.ts';
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
};

const most = 8;

/** The emoji whose codes begin with what was typed. */
export async function findCodes(code: string): Promise<Suggestion[]> {
  const { findEmoji } = await import('../text/emoji.ts');
  return findEmoji(code)
    .slice(0, most)
    .map(({ emoji, codes }) => ({
      text: `${emoji} `,
      shown: emoji,
      detail: `:${codes[0]}:`,
      replaces: code.length + 1,
      isMeant: false,
    }));
}

/** The members of a room of whose names a word begins with what was typed. */
export async function findNames(room: string, start: string): Promise<Suggestion[]> {
  // One more, as it may be me.
  const found = await findMembers(room, start, most + 1);
  const others = found.filter(({ user }) => user.$oid !== idOf(me()));
  const people = suggestNames(others, start).map((one) => ({ ...one, text: `@${one.detail} `, replaces: start.length + 1 }));
  return [...people, ...everyoneIn(room, start)].slice(0, most);
}

/** What addresses everyone in a room, for those who may. */
function everyoneIn(room: string, start: string): Suggestion[] {
  const { member_count: count = 0, mention_all_role: least = 'member' } = aboutRoom(room).details ?? {};
  const roles = ['member', 'moderator', 'owner'] as const;
  if (count > mostForAll || roles.indexOf(roomOf(room)?.role ?? 'member') < roles.indexOf(least)) return [];
  return forEveryone
    .filter((word) => start !== '' && word.startsWith(start.toLowerCase()))
    .map((word) => ({
      text: `@${word} `,
      shown: '@',
      detail: word,
      name: strings.composer.everyone[word],
      replaces: start.length + 1,
      isMeant: word !== start.toLowerCase(),
    }));
}

/** In how large a room a message may address everyone. */
const mostForAll = 1_000;

/** The people whom one may find, of whose names a word begins with what was typed, for a list of names. */
export async function findPeople(start: string): Promise<Suggestion[]> {
  const query = { q: start, limit: most + 1 };
  const found = await ask(chat.GET('/api/users', { params: { query } })).catch(() => []);
  const others = found.filter((user) => idOf(user) !== idOf(me()));
  return suggestNames(others, start).map((one) => ({ ...one, text: `${one.detail}, `, replaces: start.length }));
}

/** The names of people; a username that was typed in full needs nothing more. */
function suggestNames(people: readonly Person[], start: string) {
  const isWhole = start === '' || people.some(({ username }) => username === start.toLowerCase());
  return people.slice(0, most).map(({ username, name }) => ({
    shown: '@',
    detail: username,
    name,
    isMeant: !isWhole && (startsName(username, start) || startsName(name ?? '', start)),
  }));
}
