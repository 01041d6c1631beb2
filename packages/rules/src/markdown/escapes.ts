import { characterBefore, isSpace } from './characters.ts';

/**
 * Tells which backslashes of a text are marks, asked from left to right. One is where it keeps what follows from being a mark; in a
 * path of Windows, or before anything else, it is a backslash. Every character is looked at a few times, so the time is linear.
 */
export function findEscapes(text: string): (at: number) => boolean {
  let word = { end: 0, isPath: false };
  let pathsUntil = 0;
  return (at) => {
    if (at >= word.end) {
      word = wordAround(text, at, word.end);
      if (word.isPath && at >= pathsUntil && startsPath.test(text.slice(Math.max(0, at - 3), at + 3)))
        pathsUntil = lineEnd(text, at);
    }
    const before = characterBefore(text, at);
    // Of `/\` people draw.
    if (word.isPath || before === '/' || (at < pathsUntil && !isSpace(before))) return false;
    return isMark(text, at + 1);
  };
}

/** `C:\` or `\\server`: names in the rest of its line may contain spaces. */
const startsPath = /(?:^|[^\p{L}\p{N}])[A-Za-z]:\\|(?:^|\s)\\\\[\p{L}\p{N}]/u;

/**
 * What shows that a word is a path or a pattern, where people type backslashes for themselves: one stands before a letter or a sign
 * that Markdown does not know, or after a drive, a dot, a variable, a domain or a `^`.
 */
const pathOrPattern = new RegExp(
  [
    '\\\\[\\p{L}\\p{N}{}$?/]|(?<!\\d)\\\\[.()]',
    '(?<![\\p{L}\\p{N}])[A-Za-z]:\\\\',
    '^["\'(]?(?:\\.{1,2}|~|%[^%]+%|\\$[\\w:]+)\\\\',
    '^["\'(]?[A-Z][A-Z0-9-]+\\\\(?:_[a-z]|\\*$)',
    '\\^\\\\(?!\\^)',
  ].join('|'),
  'u',
);

/** The word around a backslash, and whether it looks like a path or a pattern. */
function wordAround(text: string, at: number, from: number) {
  let start = at;
  while (start > from && !isSpace(text[start - 1] as string)) start--;
  space.lastIndex = at;
  const end = space.exec(text)?.index ?? text.length;
  return { end, isPath: pathOrPattern.test(text.slice(start, end)) };
}

const space = /\s/gu;

const lineEnd = (text: string, at: number) => {
  const end = text.indexOf('\n', at);
  return end < 0 ? text.length : end;
};

/** Whether something would be a mark here if no backslash stood before it. */
function isMark(text: string, at: number): boolean {
  inLine.lastIndex = at;
  if (inLine.test(text)) return true;
  atStart.lastIndex = at;
  return atStart.test(text);
}

const inLine = /[\\`*_~[\]]|[@＠﹫][A-Za-z0-9]|![[]|<(?:https?:|mailto:|[\w.+-]{1,64}@)|:[a-z0-9_+-]{1,64}:/iy;

/** What has a meaning at the start of a line alone. */
const atStart = /(?<=^[ \t]{0,16}\\)[#>+-]|(?<=^[ \t]{0,16}\d{1,9}\\)[.)]/my;
