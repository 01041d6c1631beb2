import { strings } from './strings.ts';
import { laterStrings } from './strings-later.ts';
import { pushStrings } from './strings-push.ts';
import type { Words } from './words.ts';

const english: Words = { strings: { ...strings }, laterStrings: { ...laterStrings }, pushStrings: { ...pushStrings } };

/** Puts the words of a language, or the English ones, in place of those that the page has. */
export function translate(words: Words = english): void {
  Object.assign(strings, words.strings);
  Object.assign(laterStrings, words.laterStrings);
  Object.assign(pushStrings, words.pushStrings);
}
