import { fold, foldCase, foldSpellings } from './fold.ts';
import { startsIn } from './query.ts';
import { runsOf } from './runs.ts';

/**
 * True if the typed text matches a name: it has the beginnings of some of its words, in any case
 * and spelling.
 */
export function matchesName(name: string, typed: string): boolean {
  const names = foldSpellings(name);
  const [plain, other = plain] = foldSpellings(typed);
  const spelled = partsOf(other);
  return partsOf(plain).every((part, at) => names.some((one) => hasPart(one, part) || hasPart(one, spelled[at] as string)));
}

/** The words of a typed text, without a `@` or `#` before them. */
export const partsOf = (typed: string): string[] => foldCase(typed).split(/\s+/).map(dropSign).filter(Boolean);

const dropSign = (part: string) => part.replace(/^[@#](?=.)/, '');

function hasPart(name: string, part: string): boolean {
  const folded = foldCase(name);
  let at = folded.indexOf(part);
  if (at < 0) return false;
  const [first] = runsOf(part);
  if (first?.at !== 0 || first.kind === 'unspaced') return true;
  const starts = startsIn(name);
  for (; at >= 0; at = folded.indexOf(part, at + 1)) if (starts.has(at)) return true;
  return false;
}

/** True if a name begins with the typed text. */
export const startsName = (name: string, typed: string): boolean => fold(name).startsWith(dropSign(fold(typed).trim()));

/** Somebody with a username and perhaps a full name. */
type Person = { username: string; name?: string | undefined };

/** True if the typed text matches a person's username, full name, or both. */
export const matchesPerson = ({ username, name = '' }: Person, typed: string): boolean =>
  matchesName(`${username} ${name}`, typed);

/** Compares people who match a typed text. Names that begin with it come first. */
export function comparePersons(typed: string): (one: Person, other: Person) => number {
  const isStarted = ({ username, name = '' }: Person) => Number(startsName(username, typed) || startsName(name, typed));
  return (one, other) =>
    isStarted(other) - isStarted(one) || (one.username < other.username ? -1 : one.username > other.username ? 1 : 0);
}
