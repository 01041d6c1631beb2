/*
 * The form in which texts are kept. The service, its command line and the page share it, so that a text
 * looks the same to its sender before and after it was stored.
 */

/**
 * A text as it is stored: line breaks of all systems as `\n`, without the sequences that colour a terminal,
 * and with at most 20 marks on a letter.
 */
export const normaliseText = (text: string): string =>
  plain.test(text) ? text : text.replace(terminalSequences, '').replace(lineBreaks, '\n').replace(longMarks, withFewMarks);

/** Most texts have nothing that would change: a single look tells. */
const plain = /^[\t\n\x20-\x7e]*$/;

/** A name as it is stored: a text on one line, without characters that turn the direction of what stands around it. */
export const normaliseName = (text: string): string =>
  normaliseText(text)
    .replace(directions, '')
    .replace(/\n+/g, (breaks, at, all) => (at === 0 || at + breaks.length === all.length ? '' : ' '));

/** What someone typed or pasted to sign in, such as a username, an address or a code: without blanks around it, also those that nobody sees. */
export function normaliseCredential(text: string): string {
  // By hand: a pattern for the end would look at each run of blanks again and again.
  let [start, end] = [0, text.length];
  while (start < end && blank.test(text.charAt(start))) start++;
  while (end > start && blank.test(text.charAt(end - 1))) end--;
  return text.slice(start, end);
}

/** Whether a text shows nothing: it has white space and invisible characters alone. */
export const isBlank = (text: string): boolean => !visible.test(text);

/** A control character, and where in its text it is: lines and characters count from 1. */
export type ControlCharacter = { code: string; line: number; character: number };

/** The first control character of a text that is not a tab or a line break. */
export function findControlCharacter(text: string): ControlCharacter | undefined {
  const at = text.search(controlCharacter);
  if (at < 0) return undefined;
  const before = text.slice(0, at).split('\n');
  const code = text.charCodeAt(at).toString(16).toUpperCase().padStart(4, '0');
  return { code: `U+${code}`, line: before.length, character: [...(before.at(-1) ?? '')].length + 1 };
}

/** A text as the service stores it, without what the API would refuse. */
export function storable(text: string): string {
  const normal = normaliseText(text.toWellFormed());
  return findControlCharacter(normal) ? normal.replaceAll(/[^\P{Cc}\t\n]/gu, '') : normal;
}

/*
 * ECMA-48: control sequences (colours, movements), strings (titles, links) up to their end, changes of the
 * character set, and single functions. Of what is not complete the introducer goes, and the text stays.
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

// Marks that stack up on a letter. Those that stand beside it, as vowels of Indic scripts, take no height.
const mostMarks = 20;
const longMarks = /[\p{Mn}\p{Me}\p{Default_Ignorable_Code_Point}]{21,}/gu;

function withFewMarks(run: string): string {
  let marks = 0;
  return run.replace(/[\p{Mn}\p{Me}]/gu, (mark) => (++marks > mostMarks ? '' : mark));
}

/**
 * The characters of the basic plane that show nothing, as part of a class: by code points, for those whose regular
 * expressions know no properties.
 */
export const blankCharacters =
  '\\s\\u0000-\\u001f\\u007f-\\u009f\\u00ad\\u034f\\u061c\\u115f\\u1160\\u17b4\\u17b5\\u180b-\\u180f\\u200b-\\u200f\\u202a-\\u202e\\u2060-\\u206f\\u2800\\u3164\\ufe00-\\ufe0f\\ufeff\\uffa0\\ufff0-\\ufffb';

const blank = new RegExp(`[${blankCharacters}]`);

// Besides what Unicode calls ignorable: an empty Braille cell, annotations, and fillers of rare scripts.
const visible =
  /[^\p{White_Space}\p{Cc}\p{Default_Ignorable_Code_Point}\u2800\ufff0-\ufffb\u{13430}-\u{13442}\u{16fe4}\u{1d159}]/u;
