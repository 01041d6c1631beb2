import { dropSpelling, foldCase, foldVariants, isAscii } from 'chat-service-rules/words/fold';
import { endsInHash, type Query } from 'chat-service-rules/words/query';
import { type Run, runsOf, wordStarts } from 'chat-service-rules/words/runs';
import type { ObjectId } from 'mongodb';
import type { AttachedFile } from '../../collections/rooms/messages.ts';

/*
 * The tokens for the database's text index. Each stands for the beginning of a word, for a number,
 * or for two neighbouring characters in a script without spaces. Databases split and fold texts in
 * different ways; all of them leave these tokens unchanged. A message with all tokens of a search
 * need not match it: its text decides.
 */

/**
 * The lengths of the indexed beginnings of words. A search term has one of these lengths, or
 * continues one of them.
 */
const lengths = [2, 3, 5, 8];
const longest = 8;

/**
 * The most tokens of a message that are indexed. The embedded database indexes as many words of a
 * document.
 */
const mostTokens = 12_000;

/** The most tokens of a search: the longest ones, which are the rarest. */
const mostAsked = 16;

/**
 * The text that a search matches: the message's text, and the names and descriptions of its files.
 */
export const searchedText = ({ text, files = [] }: SearchableMessage): string =>
  [text, ...files.flatMap(({ name, alt }) => (alt === undefined ? name : [name, alt]))].join('\n');

/** The parts of a message that are searched. */
type SearchableMessage = { text: string; files?: Pick<AttachedFile, 'name' | 'alt'>[] | undefined };

/** The tokens of a message, as one text. */
export function tokensOf(said: SearchableMessage, author: ObjectId): string {
  const tokens = new Set([authorToken(author)]);
  const text = searchedText(said);
  if (isAscii(text)) addAsciiTokens(text, tokens);
  else {
    for (const run of runsOf(foldVariants(text))) {
      addTokens(run, tokens);
      if (tokens.size >= mostTokens) break;
    }
  }
  return ` ${Array.from(tokens, showToken).slice(0, mostTokens).join(' ')} `;
}

/**
 * The query for a text index that finds all messages that may match a search; undefined if the
 * index cannot help.
 */
export function searchFor({ terms }: Query, author?: ObjectId): string | undefined {
  const runs = terms
    .filter(({ isExcluded }) => !isExcluded)
    .flatMap((term) => (endsInHash(term) ? term.runs.slice(0, -1) : term.runs));
  const asked = [...new Set(runs.flatMap(askedOf))].sort((one, other) => other.length - one.length);
  const tokens = [...asked.slice(0, mostAsked).map(hash), ...(author ? [authorToken(author)] : [])];
  // Each token is quoted as a phrase, so that all are required. Spaces prevent matches inside other
  // tokens.
  return tokens.length > 0 ? tokens.map((token) => `" ${showToken(token)} "`).join(' ') : undefined;
}

/**
 * Adds the same tokens as `addTokens` for each run. It does not create runs for most words, which
 * makes it several times as fast.
 */
function addAsciiTokens(text: string, tokens: Set<number>): void {
  for (let start = 0, end = 0; start < text.length && tokens.size < mostTokens; start = end) {
    const kind = asciiKinds[text.charCodeAt(start)] as number;
    end = start + 1;
    if (kind === 0) continue;
    while (end < text.length && asciiKinds[text.charCodeAt(end)] === kind) end++;
    if (kind === digit) tokens.add(hash(text.slice(start, Math.min(end, start + longest))));
    else if (isOneWord(text, start, end)) addBeginningsOfWord(text, start, end, tokens);
    else addTokens({ kind: 'letters', at: start, text: text.slice(start, end) }, tokens);
  }
}

const [digit, letterKind] = [1, 2] as const;
const asciiKinds = Uint8Array.from({ length: 128 }, (_, code) => {
  const character = String.fromCharCode(code);
  return /\d/.test(character) ? digit : /[a-z]/i.test(character) ? letterKind : 0;
});

/** True if letters are one word, not several as in `camelCase`. */
function isOneWord(text: string, start: number, end: number): boolean {
  for (let at = start + 1; at < end; at++) if (text.charCodeAt(at) < firstLetter) return false;
  return true;
}

function addBeginningsOfWord(text: string, start: number, end: number, tokens: Set<number>): void {
  let hashed = hashStart;
  let length = 0;
  let last = 0;
  for (let at = start; at < end && at < start + 2 * longest && length < longest; at++) {
    const code = text.charCodeAt(at) | lowerCase;
    if (!isDropped(last, code)) {
      hashed = hashWith(hashed, code);
      length++;
      if (lengths.includes(length) || end - start === 1) tokens.add(hashed);
    }
    last = code;
  }
}

const [a, e, o, u] = ['a', 'e', 'o', 'u'].map((vowel) => vowel.charCodeAt(0));

/** True if `dropSpelling` removes a letter after another letter. */
const isDropped = (before: number, code: number): boolean =>
  code === e ? before === a || before === o || before === u : code === a && before === a;

/** The bit that distinguishes lowercase from capital ASCII letters. */
const lowerCase = 0x20;

function addTokens({ kind, text }: Run, tokens: Set<number>): void {
  if (kind === 'letters') {
    const word = foldCase(text);
    for (const start of wordStarts(text)) addBeginnings(word, start, tokens);
  } else if (kind === 'unspaced') addPairs(text, tokens);
  else tokens.add(hash(wholeOf(text)));
}

function addBeginnings(word: string, start: number, tokens: Set<number>): void {
  if (start === word.length - 1) tokens.add(hash(word.slice(start)));
  const beginning = dropSpelling(word.slice(start, start + 2 * longest));
  let hashed = hashStart;
  for (let at = 0; at < beginning.length && at < longest; at++) {
    hashed = hashWith(hashed, beginning.charCodeAt(at));
    if (lengths.includes(at + 1)) tokens.add(hashed);
  }
}

function addPairs(text: string, tokens: Set<number>): void {
  let last: string | undefined;
  for (const letter of text) {
    if (last !== undefined) tokens.add(hash(last + letter));
    if (isMeaningful.test(letter)) tokens.add(hash(letter));
    last = letter;
  }
}

function askedOf({ kind, text }: Run): string[] {
  if (kind === 'letters' && text.length > 1) {
    const word = dropSpelling(text.slice(0, 2 * longest));
    const length = lengths.findLast((length) => length <= word.length);
    return length === undefined ? [] : [word.slice(0, length)];
  }
  if (kind === 'letters') return [text];
  if (kind !== 'unspaced') return [wholeOf(text)];
  const letters = [...text];
  if (letters.length === 1) return letters.filter((letter) => isMeaningful.test(letter));
  return letters.slice(1).map((letter, at) => `${letters[at]}${letter}`);
}

const wholeOf = (text: string) => text.slice(0, longest);

/** Scripts in which a single letter is a word that can be searched for. */
const isMeaningful = /\p{Script=Han}|\p{Script=Hangul}/u;

const authorToken = (author: ObjectId) => hash(`@${author.toHexString()}`);

/** FNV-1a as a signed 32-bit number, for which V8 does not allocate an object. */
const hashStart = 0x811c9dc5 | 0;
const hashWith = (hash: number, code: number) => Math.imul(hash ^ code, 0x01000193);

function hash(token: string): number {
  let hashed = hashStart;
  for (let at = 0; at < token.length; at++) hashed = hashWith(hashed, token.charCodeAt(at));
  return hashed;
}

/**
 * A token as five letters, which databases treat as a word in every language: its digits in base
 * 26, the lowest first.
 */
function showToken(token: number): string {
  const high = Math.floor((token >>> 0) / 26 ** 3);
  const low = (token >>> 0) - high * 26 ** 3;
  return String.fromCharCode(letter(low), letter(low / 26), letter(low / 26 ** 2), letter(high), letter(high / 26));
}

const letter = (number: number) => firstLetter + ((number | 0) % 26);
const firstLetter = 'a'.charCodeAt(0);
