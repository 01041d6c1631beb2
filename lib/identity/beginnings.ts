import { dropSpelling, fold, foldCase, foldSpellings } from 'chat-service-rules/words/fold';
import { matchesPerson, partsOf, startsName } from 'chat-service-rules/words/names';
import { startsIn } from 'chat-service-rules/words/query';
import { runsOf } from 'chat-service-rules/words/runs';
import type { UserDocument } from '../collections/accounts/users.ts';

/*
 * How an index finds accounts by what administrators type of a name or an address. Each account stores how the words of its
 * names begin, and its address, in a few lengths: one equality finds those that begin so, in the order of their ids, on every
 * database. What is stored only narrows the search, and `matchesAccount` decides: a beginning may be that of another spelling,
 * and of a longer word the first characters are all that the index knows.
 */

/** In characters. Of what is typed, the longest of these that it has is looked for. */
const lengths = [1, 2, 3, 5, 8];

/** How the words of an account's names begin. */
export function nameBeginnings({ username, name = '' }: { username: string; name?: string | undefined }): string[] {
  const found = new Set<string>();
  for (const spelling of foldSpellings(`${username} ${name}`)) {
    const folded = foldCase(spelling);
    for (const at of placesIn(spelling)) for (const beginning of beginningsOf(folded.slice(at))) found.add(beginning);
  }
  return [...found];
}

/** How an address begins. */
export const emailBeginnings = (email: string): string[] => beginningsOf(fold(email));

/** The one of these by which an index finds all accounts that somebody may mean; undefined where none does. */
export function beginningFor(typed: string): string | undefined {
  const [plain, other = plain] = foldSpellings(typed);
  const spelled = partsOf(other);
  const keys = partsOf(plain).map((part, at) => {
    const key = longestOf(part);
    return key !== undefined && key === longestOf(spelled[at] ?? '') ? key : '';
  });
  return keys.sort((one, another) => another.length - one.length)[0] || undefined;
}

/** Whether an account is meant by somebody who has typed this of its names or of its address. */
export const matchesAccount = (user: Pick<UserDocument, 'username' | 'name' | 'email'>, typed: string): boolean =>
  matchesPerson(user, typed) || (user.email !== undefined && startsName(user.email, typed));

/** Where something begins that may be typed: a word, or any character of a script that puts no spaces between words. */
function placesIn(text: string): Set<number> {
  const places = new Set(startsIn(text));
  let at = 0;
  for (const character of text) {
    if (runsOf(character)[0]?.kind === 'unspaced') places.add(at);
    at += character.length;
  }
  return places;
}

function beginningsOf(text: string): string[] {
  const characters = [...dropSpelling(text)];
  return lengths.filter((length) => length <= characters.length).map((length) => characters.slice(0, length).join(''));
}

// What begins with neither a word nor a number is found anywhere within a name.
const longestOf = (part: string): string | undefined => (runsOf(part)[0]?.at === 0 ? beginningsOf(part).at(-1) : undefined);
