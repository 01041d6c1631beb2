/** Limit of different words per document. The text after the last of them is not indexed. */
const mostWords = 12_000;

/**
 * Texts of this total length cannot have more words than `mostWords`, because words are separated.
 */
const shortTexts = 2 * mostWords;

/**
 * Normalizes the texts of a document for search: removes case and accents, and everything after the
 * word limit.
 */
export function searchable(texts: readonly string[]): string[] {
  const whole = texts.map(folded);
  return whole.reduce((length, text) => length + text.length + 1, 0) <= shortTexts ? whole : cut(whole);
}

/** The words of a normalized text. */
export function wordsOf(text: string): string[] {
  return text.split(delimiters).filter((word) => word !== '');
}

/** True if a normalized text has one of the words. */
export function hasWord(text: string, words: ReadonlySet<string>): boolean {
  for (const word of words) {
    for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1))
      if (isEdge(text, at) && isEdge(text, at + word.length)) return true;
  }
  return false;
}

/**
 * The words of a phrase that are whole words in every match. Its first and last word may be parts
 * of longer ones.
 */
export function innerWords(phrase: string): string[] {
  return phrase.split(delimiters).slice(1, -1);
}

/** Removes case and accents from a text. */
export function folded(text: string): string {
  if (isAscii.test(text)) return text.toLowerCase();
  return text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();
}

const isAscii = /^[\x00-\x7f]*$/;

const delimiter = '[\\p{Dash}\\p{Pattern_Syntax}\\p{Quotation_Mark}\\p{Terminal_Punctuation}\\p{White_Space}]';
const delimiters = new RegExp(`${delimiter}+`, 'u');
/** 1 for each ASCII character that separates words. */
const asciiDelimiters = Uint8Array.from({ length: 128 }, (_, code) =>
  Number(new RegExp(delimiter, 'u').test(String.fromCharCode(code))),
);
const eachWord = new RegExp(`(?:(?!${delimiter}).)+`, 'gsu');

const edge = new RegExp(`(?<=^|${delimiter})|(?=${delimiter}|$)`, 'uy');

/**
 * True if a delimiter or an end of the text is at this position, so that a word may begin or end
 * here.
 */
function isEdge(text: string, at: number): boolean {
  edge.lastIndex = at;
  return edge.test(text);
}

/** Cuts texts off after `mostWords` different words. */
function cut(texts: readonly string[]): string[] {
  const known = new Set<string>();
  return texts.map((text) => {
    for (const { 0: word, index } of text.matchAll(eachWord)) {
      known.add(word);
      if (known.size <= mostWords) continue;
      known.delete(word);
      return text.slice(0, index);
    }
    return text;
  });
}

/**
 * Returns a function that maps words to index tokens. Tokens also depend on the fields before the
 * text, e.g. the room. They do not reveal the text. A collision of two tokens is harmless, because
 * matches are compared with the document itself.
 */
export function tokensOf(prefix: Buffer): (word: string) => string {
  const ofPrefix = tokenOfPrefix(prefix);
  return (word) => ofPrefix + tenDigits(numberOfWord(word, 0, word.length));
}

/** The distinct tokens of normalized texts, separated by spaces. */
export function tokensOfTexts(prefix: Buffer, texts: readonly string[]): string {
  const numbers = new Set<number>();
  for (const text of texts) {
    if (isAscii.test(text)) addAsciiWords(text, numbers);
    else for (const word of wordsOf(text)) numbers.add(numberOfWord(word, 0, word.length));
  }
  const ofPrefix = tokenOfPrefix(prefix);
  let tokens = '';
  for (const number of numbers) tokens += `${tokens === '' ? '' : ' '}${ofPrefix}${tenDigits(number)}`;
  return tokens;
}

function addAsciiWords(text: string, numbers: Set<number>): void {
  let start = 0;
  for (let at = 0; at <= text.length; at++) {
    if (at < text.length && asciiDelimiters[text.charCodeAt(at)] === 0) continue;
    if (at > start) numbers.add(numberOfWord(text, start, at));
    start = at + 1;
  }
}

const tokenOfPrefix = (prefix: Buffer): string => hashOf(prefix).toString(36).padStart(7, '0');

/** A hash below 2^48 for a part of a text. */
function numberOfWord(text: string, start: number, end: number): number {
  let one = fnvOffset;
  let other = ~fnvOffset;
  for (let at = start; at < end; at++) {
    const unit = text.charCodeAt(at);
    one = Math.imul(one ^ unit, fnvPrime);
    other = Math.imul(other ^ (unit + at - start), fnvPrime);
  }
  return (one >>> 0) * 0x10000 + (other >>> 16);
}

/**
 * Formats a number below 2^48 in base 36, padded with zeros. It is several times as fast as
 * `toString` and `padStart`.
 */
function tenDigits(number: number): string {
  const high = Math.floor(number / 36 ** 4);
  const low = number - high * 36 ** 4;
  const higher = Math.floor(high / 36 ** 4);
  const middle = high - higher * 36 ** 4;
  return `${twoDigits[higher]}${fourDigits(middle)}${fourDigits(low)}`;
}

const fourDigits = (number: number) => `${twoDigits[Math.floor(number / 36 ** 2)]}${twoDigits[number % 36 ** 2]}`;
const twoDigits = Array.from({ length: 36 ** 2 }, (_, number) => number.toString(36).padStart(2, '0'));

/** FNV-1a. */
function hashOf(bytes: Buffer): number {
  let hash = fnvOffset;
  for (const byte of bytes) hash = Math.imul(hash ^ byte, fnvPrime);
  return hash >>> 0;
}

const fnvOffset = 0x811c9dc5;
const fnvPrime = 0x01000193;
