/** So many different words of a document are indexed; what comes after the last of them is as if it were not there. */
const mostWords = 12_000;

/** Texts this short, with something between them, have no more words than that. */
const shortTexts = 2 * mostWords;

/** The texts of a document in the form in which they are searched: without case and accents, and as far as they are indexed. */
export function searchable(texts: readonly string[]): string[] {
  const whole = texts.map(folded);
  return whole.reduce((length, text) => length + text.length + 1, 0) <= shortTexts ? whole : cut(whole);
}

/** The words of a text that is folded. */
export function wordsOf(text: string): string[] {
  return text.split(delimiters).filter((word) => word !== '');
}

/** Whether one of some words stands in a text that is folded. */
export function hasWord(text: string, words: ReadonlySet<string>): boolean {
  for (const word of words) {
    for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1))
      if (isEdge(text, at) && isEdge(text, at + word.length)) return true;
  }
  return false;
}

/** The words of a phrase that are whole wherever it stands; its first and its last may be parts of longer ones. */
export function innerWords(phrase: string): string[] {
  return phrase.split(delimiters).slice(1, -1);
}

/** A text without case and accents. */
export function folded(text: string): string {
  if (isAscii.test(text)) return text.toLowerCase();
  return text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();
}

const isAscii = /^[\x00-\x7f]*$/;

const delimiter = '[\\p{Dash}\\p{Pattern_Syntax}\\p{Quotation_Mark}\\p{Terminal_Punctuation}\\p{White_Space}]';
const delimiters = new RegExp(`${delimiter}+`, 'u');
/** For each character of ASCII, 1 if it stands between words. */
const asciiDelimiters = Uint8Array.from({ length: 128 }, (_, code) =>
  Number(new RegExp(delimiter, 'u').test(String.fromCharCode(code))),
);
const eachWord = new RegExp(`(?:(?!${delimiter}).)+`, 'gsu');

const edge = new RegExp(`(?<=^|${delimiter})|(?=${delimiter}|$)`, 'uy');

/** Whether a word may begin or end at a place, for a delimiter or nothing stands on one side of it. */
function isEdge(text: string, at: number): boolean {
  edge.lastIndex = at;
  return edge.test(text);
}

/** Cuts texts off after so many different words. */
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
 * Gives what stands in the index for a word of documents that agree in the fields before the text: for each room, say, there is one of
 * its own. No text can be read out of it. Should two words have the same one, no harm is done: what is found is compared with the
 * document itself.
 */
export function tokensOf(prefix: Buffer): (word: string) => string {
  const ofPrefix = tokenOfPrefix(prefix);
  return (word) => ofPrefix + tenDigits(numberOfWord(word, 0, word.length));
}

/** What stands in the index for all words of some texts that are folded, each once, with spaces between. */
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

/** A number below 2^48 for the part of a text between two places. */
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

/** A number below 2^48 to the base 36, with zeros before it: several times as fast as `toString` and `padStart`. */
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
