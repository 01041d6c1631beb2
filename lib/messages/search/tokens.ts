import { dropSpelling, foldCase, foldVariants } from 'chat-service-rules/words/fold';
import { endsInHash, type Query } from 'chat-service-rules/words/query';
import { type Run, runsOf, wordStarts } from 'chat-service-rules/words/runs';
import type { ObjectId } from 'mongodb';
import type { AttachedFile } from '../../collections/rooms/messages.ts';

/*
 * The tokens that a database's text index is given of a message, and is asked for. Each stands for the beginning of a
 * word, for a number, or for two neighbours in a script without spaces. Databases divide and fold texts in ways of
 * their own; these tokens they all leave as they are. A message that has all tokens of a search need not match it:
 * its text decides.
 */

/**
 * The numbers of letters of the beginnings of a word that are indexed. A sought word has as many, or continues one of
 * them.
 */
const lengths = [2, 3, 5, 8];
const longest = 8;

/** So many tokens of a message are indexed: as many as the embedded database indexes words of a document. */
const mostTokens = 12_000;

/** So many tokens of a search narrow it down: the longest, which are the rarest. */
const mostAsked = 16;

/** What a search finds a message by: its text, and the names and descriptions of its files. */
export const searchedText = ({ text, files = [] }: SearchableMessage): string =>
  [text, ...files.flatMap(({ name, alt }) => (alt === undefined ? name : [name, alt]))].join('\n');

/** What a message says. */
type SearchableMessage = { text: string; files?: Pick<AttachedFile, 'name' | 'alt'>[] | undefined };

/** The tokens of a message, as one text. */
export function tokensOf(said: SearchableMessage, author: ObjectId): string {
  const tokens = new Set([authorToken(author)]);
  for (const run of runsOf(foldVariants(searchedText(said)))) {
    addTokens(run, tokens);
    if (tokens.size >= mostTokens) break;
  }
  return ` ${Array.from(tokens, showToken).slice(0, mostTokens).join(' ')} `;
}

/** The query for a text index that finds all messages that may answer a search; undefined if the index can't help. */
export function searchFor({ terms }: Query, author?: ObjectId): string | undefined {
  const runs = terms
    .filter(({ isExcluded }) => !isExcluded)
    .flatMap((term) => (endsInHash(term) ? term.runs.slice(0, -1) : term.runs));
  const asked = [...new Set(runs.flatMap(askedOf))].sort((one, other) => other.length - one.length);
  const tokens = [...asked.slice(0, mostAsked).map(hash), ...(author ? [authorToken(author)] : [])];
  // As phrases, so that all are required; with their spaces, so that none is part of another.
  return tokens.length > 0 ? tokens.map((token) => `" ${showToken(token)} "`).join(' ') : undefined;
}

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

/** Whether a single letter is a word, which somebody may look for. */
const isMeaningful = /\p{Script=Han}|\p{Script=Hangul}/u;

const authorToken = (author: ObjectId) => hash(`@${author.toHexString()}`);

/** FNV-1a, as a number of 32 bits with a sign, of which V8 makes no object. */
const hashStart = 0x811c9dc5 | 0;
const hashWith = (hash: number, code: number) => Math.imul(hash ^ code, 0x01000193);

function hash(token: string): number {
  let hashed = hashStart;
  for (let at = 0; at < token.length; at++) hashed = hashWith(hashed, token.charCodeAt(at));
  return hashed;
}

/** A token as five letters, which databases take for a word in whatever language: the digits to the base 26, the lowest first. */
function showToken(token: number): string {
  const high = Math.floor((token >>> 0) / 26 ** 3);
  const low = (token >>> 0) - high * 26 ** 3;
  return String.fromCharCode(letter(low), letter(low / 26), letter(low / 26 ** 2), letter(high), letter(high / 26));
}

const letter = (number: number) => firstLetter + ((number | 0) % 26);
const firstLetter = 'a'.charCodeAt(0);
