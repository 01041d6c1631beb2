import { fold, foldCase, foldSpellings } from './fold.ts';
import { startsIn } from './query.ts';
import { runsOf } from './runs.ts';

/** Whether somebody means a name who has typed this of it: the beginnings of some of its words, in any case and spelling. */
export function matchesName(name: string, typed: string): boolean {
  const names = foldSpellings(name);
  const [plain, other = plain] = foldSpellings(typed);
  const spelled = partsOf(other);
  return partsOf(plain).every((part, at) => names.some((one) => hasPart(one, part) || hasPart(one, spelled[at] as string)));
}

/** What was typed by its words, without the sign that stands before names in a text. */
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

/** Whether a name begins with what was typed of it. */
export const startsName = (name: string, typed: string): boolean => fold(name).startsWith(dropSign(fold(typed).trim()));

/** Somebody who has a username and maybe a full name. */
type Person = { username: string; name?: string | undefined };

/** Whether somebody means a person who has typed this of the username, the full name, or both. */
export const matchesPerson = ({ username, name = '' }: Person, typed: string): boolean =>
  matchesName(`${username} ${name}`, typed);

/** The order of people of whose names something was typed: those with one that begins with it come first. */
export function comparePersons(typed: string): (one: Person, other: Person) => number {
  const isStarted = ({ username, name = '' }: Person) => Number(startsName(username, typed) || startsName(name, typed));
  return (one, other) =>
    isStarted(other) - isStarted(one) || (one.username < other.username ? -1 : one.username > other.username ? 1 : 0);
}
