import { isAscii } from './fold.ts';

/** Letters of scripts that put no spaces between words, or that put particles right after them. */
const unspaced =
  '(?=[\\p{L}\\p{M}\\p{N}])[\\p{scx=Han}\\p{scx=Hiragana}\\p{scx=Katakana}\\p{scx=Bopomofo}\\p{scx=Hangul}\\p{scx=Thai}\\p{scx=Lao}\\p{scx=Khmer}\\p{scx=Myanmar}\\p{scx=Tibetan}\\p{scx=Yi}\\p{scx=Balinese}\\p{scx=Javanese}\\p{scx=Tai_Le}\\p{scx=New_Tai_Lue}\\p{scx=Tai_Tham}\\p{scx=Tai_Viet}]';
const scripts = ['Latin', 'Cyrillic', 'Greek', 'Arabic', 'Hebrew'];
const letters = [
  ...scripts.map((script) => `(?:\\p{Script=${script}}(?<=\\p{L})\\p{M}*)+`),
  `(?:(?!${unspaced})[\\p{L}\\p{M}](?<![${scripts.map((script) => `\\p{Script=${script}}`).join('')}]))+`,
].join('|');

/** Made at its first use: it takes a tenth of the start of a function, and most texts are of ASCII alone. */
const makeEachRun = () =>
  new RegExp(`((?:${unspaced})+)|(\\p{N}+)|(${letters})|(\\p{Extended_Pictographic}|\\p{Regional_Indicator})`, 'gu');
let eachRun: RegExp | undefined;

// Finds the same in a text of ASCII alone, several times as fast.
const eachAsciiRun = /\d+|[a-z]+/gi;
const kinds = ['unspaced', 'digits', 'letters', 'picture'] as const;

/** A part of a text all of whose characters are of one kind, by its place in the text. */
export type Run = { kind: (typeof kinds)[number]; at: number; text: string };

/** The runs of a text whose variants are folded: words, numbers, and each sentence of scripts without spaces. */
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

/** The places within a run of letters at which a word begins: `camelCase` has two, `HTTPServer` has two. */
export function wordStarts(run: string): number[] {
  if (run.length === 1 || run.slice(1) === run.slice(1).toLowerCase()) return [0];
  return [0, ...Array.from(run.matchAll(/(?<=[\p{Ll}\p{M}])\p{Lu}|(?<=\p{Lu})\p{Lu}(?=\p{Ll})/gu), ({ index }) => index)];
}
