import { dropSpelling, fold, foldCase, foldSpellings } from 'chat-service-rules/words/fold';
import { matchesPerson, partsOf, startsName } from 'chat-service-rules/words/names';
import { startsIn } from 'chat-service-rules/words/query';
import { runsOf } from 'chat-service-rules/words/runs';
import type { UserDocument } from '../collections/accounts/users.ts';

/*
 * The search index for administrators who type the beginning of a name or an address. Each account
 * stores the first characters of its address and of each word of its names, in a few lengths. So
 * one equality query finds the accounts with this beginning, in the order of their ids, on every
 * database.
 *
 * The index only narrows the search, and `matchesAccount` decides. A beginning may belong to
 * another spelling, and the index has only the first characters of a longer word.
 */

/** In characters. A query uses the longest of these lengths that the typed text has. */
const lengths = [1, 2, 3, 5, 8];

/** The stored beginnings of an account's names. */
export function nameBeginnings({ username, name = '' }: { username: string; name?: string | undefined }): string[] {
  const found = new Set<string>();
  for (const spelling of foldSpellings(`${username} ${name}`)) {
    const folded = foldCase(spelling);
    for (const at of placesIn(spelling)) for (const beginning of beginningsOf(folded.slice(at))) found.add(beginning);
  }
  return [...found];
}

/** The stored beginnings of an address. */
export const emailBeginnings = (email: string): string[] => beginningsOf(fold(email));

/**
 * The stored beginning that finds all accounts that a typed text may match; undefined if the index
 * cannot find them all.
 */
export function beginningFor(typed: string): string | undefined {
  const [plain, other = plain] = foldSpellings(typed);
  const spelled = partsOf(other);
  const keys = partsOf(plain).map((part, at) => {
    const key = longestOf(part);
    return key !== undefined && key === longestOf(spelled[at] ?? '') ? key : '';
  });
  return keys.sort((one, another) => another.length - one.length)[0] || undefined;
}

/** Returns true if a typed text matches an account's names or address. */
export const matchesAccount = (user: Pick<UserDocument, 'username' | 'name' | 'email'>, typed: string): boolean =>
  matchesPerson(user, typed) || (user.email !== undefined && startsName(user.email, typed));

/**
 * The positions where a search can begin: at each word, and at each character of a script that does
 * not put spaces between words.
 */
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

// A word that begins with neither a letter nor a digit is searched for anywhere in a name, so the
// index cannot find it.
const longestOf = (part: string): string | undefined => (runsOf(part)[0]?.at === 0 ? beginningsOf(part).at(-1) : undefined);
