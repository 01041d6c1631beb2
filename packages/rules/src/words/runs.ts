import { isAscii } from './fold.ts';

/**
 * Letters of scripts without spaces between words, or with particles that directly follow words.
 */
const unspaced =
  '(?=[\\p{L}\\p{M}\\p{N}])[\\p{scx=Han}\\p{scx=Hiragana}\\p{scx=Katakana}\\p{scx=Bopomofo}\\p{scx=Hangul}\\p{scx=Thai}\\p{scx=Lao}\\p{scx=Khmer}\\p{scx=Myanmar}\\p{scx=Tibetan}\\p{scx=Yi}\\p{scx=Balinese}\\p{scx=Javanese}\\p{scx=Tai_Le}\\p{scx=New_Tai_Lue}\\p{scx=Tai_Tham}\\p{scx=Tai_Viet}]';
const scripts = ['Latin', 'Cyrillic', 'Greek', 'Arabic', 'Hebrew'];
const letters = [
  ...scripts.map((script) => `(?:\\p{Script=${script}}(?<=\\p{L})\\p{M}*)+`),
  `(?:(?!${unspaced})[\\p{L}\\p{M}](?<![${scripts.map((script) => `\\p{Script=${script}}`).join('')}]))+`,
].join('|');

/** Created on first use: it takes a tenth of a function's start, and most texts are ASCII. */
const makeEachRun = () =>
  new RegExp(`((?:${unspaced})+)|(\\p{N}+)|(${letters})|(\\p{Extended_Pictographic}|\\p{Regional_Indicator})`, 'gu');
let eachRun: RegExp | undefined;

// Finds the runs of an ASCII text, several times as fast.
const eachAsciiRun = /\d+|[a-z]+/gi;
const kinds = ['unspaced', 'digits', 'letters', 'picture'] as const;

/** A part of a text with characters of one kind, and its position. */
export type Run = { kind: (typeof kinds)[number]; at: number; text: string };

/**
 * The runs of a text with folded variants: words, numbers, and each sentence of scripts without
 * spaces.
 */
export function runsOf(text: string): Run[] {
  const runs: Run[] = [];
  if (isAscii(text)) {
    for (const { index: at, 0: run } of text.matchAll(eachAsciiRun))
      runs.push({ kind: run.charCodeAt(0) <= lastDigit ? 'digits' : 'letters', at, text: run });
    return runs;
  }
  eachRun ??= makeEachRun();
  for (const found of text.matchAll(eachRun)) {
    const kind = kinds.findIndex((_, group) => found[group + 1] !== undefined);
    runs.push({ kind: kinds[kind] as Run['kind'], at: found.index, text: found[0] });
  }
  return runs;
}

const lastDigit = '9'.charCodeAt(0);

/** The starts of words within a run of letters: `camelCase` has two, `HTTPServer` has two. */
export function wordStarts(run: string): number[] {
  if (run.length === 1 || run.slice(1) === run.slice(1).toLowerCase()) return [0];
  return [0, ...Array.from(run.matchAll(/(?<=[\p{Ll}\p{M}])\p{Lu}|(?<=\p{Lu})\p{Lu}(?=\p{Ll})/gu), ({ index }) => index)];
}
