import { foldCase, foldSpellings } from './fold.ts';
import { type Run, runsOf, wordStarts } from './runs.ts';

/** The most words of a search. */
export const mostWords = 10;

/** One condition of a search: a word, a phrase, or a connected text such as an address. */
export type Term = {
  /** The folded text. */
  text: string;
  isExcluded: boolean;
  runs: readonly Run[];
  pattern: RegExp;
};

/** The conditions of a search, and the number of ignored words. */
export type Query = { terms: readonly Term[]; ignored: number };

// Punctuation may follow a quoted phrase.
const between = /[([{]*(-?)"([^"]+)"(?:[.,;:!?)\]}]+|(?=\s|$))|(-?)(\S+)/g;

// Punctuation around a word is not part of it. Other characters are, as in C++, #4711 or /etc.
const enclosing = '\\s()\\[\\]{}<>"\'`«»‹›.,;:!?¡¿*~|。、・「」『』【】〈〉《》〔〕।؟،؛';
const opening = new RegExp(`^(?:(?!(?<!\\.)\\.\\p{L})[${enclosing}])+`, 'u');
const closing = new RegExp(`[${enclosing}/\\\\]+$`, 'u');

/**
 * Parses a search. All words must match, quoted ones next to each other, and words after a hyphen
 * must not.
 */
export function readQuery(sought: string): Query {
  const terms: Term[] = [];
  let [count, ignored] = [0, 0];
  // Both spellings have the same words.
  const [plain, other = plain] = foldSpellings(sought);
  const spelled = divide(other);
  for (const [at, { parts: all, isExcluded }] of divide(plain).entries()) {
    const parts = all.slice(0, mostWords - count);
    ignored += all.length - parts.length;
    count += parts.length;
    if (parts.length > 0) terms.push(termOf(parts, spelled[at]?.parts.slice(0, parts.length) ?? parts, isExcluded));
  }
  return { terms, ignored };
}

const divide = (sought: string) =>
  Array.from(sought.matchAll(between), ([, minusPhrase, phrase, minus = '', word = '']) => {
    const isExcluded = (minusPhrase ?? minus) === '-' && /^[\p{L}\p{N}]/u.test(phrase ?? word);
    return { isExcluded, parts: (phrase ?? (isExcluded ? word : minus + word)).split(/\s+/).map(strip).filter(hasWord) };
  });

const strip = (word: string) => word.replace(opening, '').replace(closing, '');

const hasWord = (part: string) => runsOf(part).length > 0;

function termOf(parts: string[], spelled: string[], isExcluded: boolean): Term {
  const text = foldCase(parts.join(' '));
  const patterns = new Set([parts, spelled].map(patternOf));
  return { text, isExcluded, runs: runsOf(text), pattern: new RegExp([...patterns].join('|'), 'gu') };
}

const patternOf = (parts: string[]) =>
  parts.map((part) => foldCase(part).replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')).join('[^\\p{L}\\p{M}\\p{N}]+');

/** True if a term ends within alternating letters and digits, such as the beginning of a hash. */
export const endsInHash = ({ text, runs }: Term): boolean => {
  const [first, second, last] = runs.slice(-3);
  if (!first || !second || last?.kind !== 'digits' || last.at + last.text.length < text.length) return false;
  return continues(first, second) && continues(second, last);
};

/** A match of a term, as positions in the folded text. */
export type Hit = { at: number; end: number; isWhole: boolean };

/**
 * The matches of a term in a text with folded variants. Each begins at the start of a word, which
 * may continue after it.
 */
export function* hitsOf(term: Term, text: string): Generator<Hit> {
  const folded = foldCase(text);
  const [first, last] = [term.runs[0] as Run, term.runs.at(-1) as Run];
  const begins = first.at === 0 ? first.kind : undefined;
  const ends = last.at + last.text.length === term.text.length ? last.kind : undefined;
  let starts: ReadonlySet<number> | undefined;
  for (const { index: at, 0: found } of folded.matchAll(term.pattern)) {
    if (begins === 'letters' || begins === 'digits') {
      starts ??= startsIn(text);
      if (!starts.has(at)) continue;
    }
    const end = at + found.length;
    const goesOn = (ends === 'letters' && isLetter(folded, end)) || (ends === 'digits' && isDigit(folded, end));
    // After 10.0.0.1 another address may continue, and a single letter begins too many words.
    if (goesOn && (ends === 'digits' ? !endsInHash(term) : last.text.length === 1)) continue;
    // A number does not match a hash that begins with it.
    if (first === last && ends === 'digits' && /^\p{L}+\p{N}/u.test(folded.slice(end, end + 20))) continue;
    yield { at, end, isWhole: !goesOn };
  }
}

/**
 * The starts of words and numbers in a text with folded variants. Alternating letters and digits,
 * such as a hash, are one word, except for names such as `base64Url`.
 */
export function startsIn(text: string): ReadonlySet<number> {
  const starts = new Set<number>();
  const runs = runsOf(text);
  for (let from = 0, to = 1; from < runs.length; from = to, to++) {
    while (to < runs.length && continues(runs[to - 1] as Run, runs[to] as Run)) to++;
    const isHash = to > from + 2 && isOfOneCase(runs.slice(from, to));
    for (const { kind, at, text: run } of runs.slice(from, isHash ? from + 1 : to))
      for (const start of kind === 'letters' && !isHash ? wordStarts(run) : [0]) starts.add(at + start);
  }
  return starts;
}

const isOfOneCase = (runs: Run[]) => {
  const text = runs.map((run) => run.text).join('');
  return text === text.toLowerCase() || text === text.toUpperCase();
};

const continues = (one: Run, other: Run) =>
  one.at + one.text.length === other.at && [one, other].every(({ kind }) => kind === 'letters' || kind === 'digits');

const isLetter = (text: string, at: number) => matchesAt(/[\p{L}\p{M}]/uy, text, at);
const isDigit = (text: string, at: number) => matchesAt(/\p{N}/uy, text, at);

function matchesAt(pattern: RegExp, text: string, at: number): boolean {
  pattern.lastIndex = at;
  return pattern.test(text);
}

/** The score of a text for a search; undefined if it lacks a term or contains an excluded one. */
export function scoreOf({ terms }: Query, text: string): number | undefined {
  const spellings = foldSpellings(text);
  const folded = foldCase(spellings[0]);
  let score = 0;
  for (const term of terms) {
    let worth = 0;
    for (const variants of spellings) {
      if (worth > 0) break;
      for (const { at, isWhole } of hitsOf(term, variants)) {
        // A typed hyphen also finds texts that contain it, such as a command with its options.
        if (term.isExcluded && !/(^|\s)-$/.test(variants.slice(Math.max(0, at - 2), at))) return undefined;
        worth += isWhole ? 2 : 1;
        if (worth >= mostWorth) break;
      }
    }
    if (worth === 0 && !term.isExcluded) return undefined;
    score += worth;
  }
  const wanted = terms.filter(({ isExcluded }) => !isExcluded);
  if (wanted.length > 1 && folded.includes(wanted.map(({ text }) => text).join(' '))) score += mostWorth;
  return Math.round((1000 * score) / Math.sqrt(folded.length + 1));
}

/** The highest score of one term in a text, however often it occurs. */
const mostWorth = 10;
