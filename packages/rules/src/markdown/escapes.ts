import { characterBefore, isSpace } from './characters.ts';

/**
 * Returns a function that decides which backslashes escape. Call it from left to right. A backslash
 * escapes if a mark follows. In a Windows path, or before other characters, it is literal. The time
 * is linear.
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
    // People draw with `/\`.
    if (word.isPath || before === '/' || (at < pathsUntil && !isSpace(before))) return false;
    return isMark(text, at + 1);
  };
}

/** `C:\` or `\\server`: names in the rest of its line may contain spaces. */
const startsPath = /(?:^|[^\p{L}\p{N}])[A-Za-z]:\\|(?:^|\s)\\\\[\p{L}\p{N}]/u;

/**
 * Matches words that are paths or patterns, in which backslashes are literal. The backslash is
 * before a letter or a character without a meaning in Markdown. Or it is after a drive, a dot, a
 * variable, a domain or a `^`.
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

/** True if there would be a mark here without the backslash before it. */
function isMark(text: string, at: number): boolean {
  inLine.lastIndex = at;
  if (inLine.test(text)) return true;
  atStart.lastIndex = at;
  return atStart.test(text);
}

const inLine = /[\\`*_~[\]]|[@＠﹫][A-Za-z0-9]|![[]|<(?:https?:|mailto:|[\w.+-]{1,64}@)|:[a-z0-9_+-]{1,64}:/iy;

/** Marks that have a meaning only at the start of a line. */
const atStart = /(?<=^[ \t]{0,16}\\)[#>+-]|(?<=^[ \t]{0,16}\d{1,9}\\)[.)]/my;
