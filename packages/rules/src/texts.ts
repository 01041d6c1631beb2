/*
 * The normal form of texts. The service, its command line and the page share it, so that a text
 * looks the same before and after it was stored.
 */

/**
 * The stored form of a text: `\n` for all line breaks, without terminal colour sequences, and with
 * at most 20 marks on a letter.
 */
export const normaliseText = (text: string): string =>
  plain.test(text) ? text : text.replace(terminalSequences, '').replace(lineBreaks, '\n').replace(longMarks, withFewMarks);

/** A fast check: most texts contain nothing to change. */
const plain = /^[\t\n\x20-\x7e]*$/;

/**
 * The stored form of a name: a text on one line, without characters that change the direction of
 * the surrounding text.
 */
export const normaliseName = (text: string): string =>
  normaliseText(text)
    .replace(directions, '')
    .replace(/\n+/g, (breaks, at, all) => (at === 0 || at + breaks.length === all.length ? '' : ' '));

/**
 * A typed or pasted username, address or code, without spaces around it, including invisible ones.
 */
export function normaliseCredential(text: string): string {
  // Not a regular expression, which would scan each run of spaces repeatedly for the end.
  let [start, end] = [0, text.length];
  while (start < end && blank.test(text.charAt(start))) start++;
  while (end > start && blank.test(text.charAt(end - 1))) end--;
  return text.slice(start, end);
}

/** True if a text is invisible: it has only white space and invisible characters. */
export const isBlank = (text: string): boolean => !visible.test(text);

/** A control character and its position. Lines and characters count from 1. */
export type ControlCharacter = { code: string; line: number; character: number };

/** The first control character of a text, except tabs and line breaks. */
export function findControlCharacter(text: string): ControlCharacter | undefined {
  const at = text.search(controlCharacter);
  if (at < 0) return undefined;
  const before = text.slice(0, at).split('\n');
  const code = text.charCodeAt(at).toString(16).toUpperCase().padStart(4, '0');
  return { code: `U+${code}`, line: before.length, character: [...(before.at(-1) ?? '')].length + 1 };
}

/** The stored form of a text, without characters that the API rejects. */
export function storable(text: string): string {
  const normal = normaliseText(text.toWellFormed());
  return findControlCharacter(normal) ? normal.replaceAll(/[^\P{Cc}\t\n]/gu, '') : normal;
}

/*
 * ECMA-48: control sequences (colours, movements), strings (titles, links) up to their end, changes
 * of the character set, and single functions. Of an incomplete sequence only the introducer is
 * removed.
 */
const terminalSequences = new RegExp(
  [
    '(?:\\x1b\\[|\\x9b)[0-?]*[ -/]*[@-~]?',
    '(?:\\x1b[\\]PX^_]|\\x9d)(?:[^\\x00-\\x1f\\x7f-\\x9f]*(?:\\x07|\\x1b\\\\|\\x9c))?',
    '\\x1b[#%()*+./-]+[0-~]?',
    '\\x1b[0-?DEHMNZc\\\\]?',
  ].join('|'),
  'g',
);

const directions = /\p{Bidi_Control}/gu;

const lineBreaks = /\r\n|[\r\v\f\u0085\u2028\u2029]/g;

const controlCharacter = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/;

// Marks that stack on a letter. Marks beside it, such as vowels of Indic scripts, are unlimited,
// because they take no height.
const mostMarks = 20;
const longMarks = /[\p{Mn}\p{Me}\p{Default_Ignorable_Code_Point}]{21,}/gu;

function withFewMarks(run: string): string {
  let marks = 0;
  return run.replace(/[\p{Mn}\p{Me}]/gu, (mark) => (++marks > mostMarks ? '' : mark));
}

/**
 * The invisible characters of the basic plane, for a character class. They are code points, for
 * regular expressions without Unicode properties.
 */
export const blankCharacters =
  '\\s\\u0000-\\u001f\\u007f-\\u009f\\u00ad\\u034f\\u061c\\u115f\\u1160\\u17b4\\u17b5\\u180b-\\u180f\\u200b-\\u200f\\u202a-\\u202e\\u2060-\\u206f\\u2800\\u3164\\ufe00-\\ufe0f\\ufeff\\uffa0\\ufff0-\\ufffb';

const blank = new RegExp(`[${blankCharacters}]`);

// Besides the characters that Unicode calls ignorable: an empty Braille cell, annotations, and
// fillers of rare scripts.
const visible =
  /[^\p{White_Space}\p{Cc}\p{Default_Ignorable_Code_Point}\u2800\ufff0-\ufffb\u{13430}-\u{13442}\u{16fe4}\u{1d159}]/u;
