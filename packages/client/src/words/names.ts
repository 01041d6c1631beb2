import { fold, foldCase, foldVariants } from './fold.ts';
import { startsIn } from './query.ts';
import { runsOf } from './runs.ts';

/** Whether somebody means a name who has typed this of it: the beginnings of some of its words, in any case and spelling. */
export function matchesName(name: string, typed: string): boolean {
  const parts = fold(typed).split(/\s+/).filter(Boolean);
  const variants = foldVariants(name);
  const folded = foldCase(variants);
  if (!parts.every((part) => folded.includes(part))) return false;
  const starts = startsIn(variants);
  return parts.every((part) => {
    const [first] = runsOf(part);
    const isAnywhere = first?.at !== 0 || first.kind === 'unspaced';
    for (let at = folded.indexOf(part); at >= 0; at = folded.indexOf(part, at + 1)) if (isAnywhere || starts.has(at)) return true;
    return false;
  });
}

/** The order of names of which something was typed: those that begin with it come first. */
export function compareNames(typed: string): (one: string, other: string) => number {
  const start = fold(typed).trim();
  const rank = (name: string) => (fold(name).startsWith(start) ? 0 : 1);
  return (one, other) => rank(one) - rank(other) || (one < other ? -1 : one > other ? 1 : 0);
}
