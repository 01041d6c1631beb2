import { isBlank } from './characters.ts';
import { indentOf, isBlankLine, withoutIndent } from './indents.ts';
import type { FoundBlock } from './pieces.ts';

/** Finds the line at or after `from` that closes a fence; undefined if none does. */
export type FindEnd = (from: number, fence: string) => number | undefined;

/** The fence that a line opens: the columns before it, its characters, and its info string. */
export function openingFence(line: string): { indent: number; fence: string; info: string } | undefined {
  const [, indent = '', fence = '', info = ''] = /^([ \t]*)(`{3,}(?!`)|~{3,}(?!~))([^`]*)$/.exec(line) ?? [];
  return fence === '' || (fence[0] === '~' && info.includes('~')) ? undefined : { indent: indentOf(indent), fence, info };
}

/** True if a line closes the code of a fence. */
export const closesFence = (line: string, fence: string): boolean => isBare(line.trim(), fence) || endsWith(line, fence);

/**
 * The code block that begins at a line. Only a language may follow the fence; anything else is the
 * first line of code. An empty fence is text. So are tildes without a closing fence, because people
 * use them as decoration.
 */
export function fenceAt(lines: string[], at: number, findEnd: FindEnd): FoundBlock | undefined {
  const opening = openingFence(lines[at] as string);
  if (!opening) return undefined;
  const { indent, fence, info } = opening;
  const end = findEnd(at + 1, fence);
  if (end === undefined && fence[0] === '~') return undefined;
  const language = info.trim();
  const isLanguage = /^[\p{L}\p{N}_#+.-]{0,20}$/u.test(language);
  const code = lines.slice(at + 1, end).map((line) => withoutIndent(line, indent));
  const last = end === undefined ? '' : withoutFence(lines[end] as string, fence);
  if (last !== '') code.push(withoutIndent(last, indent));
  if (end === undefined && code.every(isBlankLine)) return undefined;
  if (!isLanguage) code.unshift(info.trimStart());
  const text = code.join('\n');
  if (isBlank(text)) return undefined;
  return { block: { type: 'code', text, language: isLanguage ? language : '' }, end: (end ?? lines.length) + 1 };
}

/**
 * Splits a line such as ``see: ```js`` into its words and the fence, if the next line with such a
 * fence closes it.
 */
export function splitAtFence(lines: string[], at: number): [words: string, fence: string] | undefined {
  const [, words = '', signs = '', language = ''] =
    /^([^`]*[^`\s])\s*(`{3,})([\w#+.-]{0,20})\s*$/.exec(lines[at] as string) ?? [];
  if (signs === '') return undefined;
  let next = at + 1;
  while (next < lines.length && !(lines[next] as string).includes(signs)) next++;
  return next < lines.length && closesFence(lines[next] as string, signs) ? [words, signs + language] : undefined;
}

/** The part of a line before the fence at its end. */
const withoutFence = (line: string, fence: string) => {
  const typed = line.trimEnd();
  return isBare(typed.trim(), fence) ? '' : typed.slice(0, -fence.length);
};

const isBare = (line: string, fence: string) => line.length >= fence.length && line[0] === fence[0] && /^(?:`+|~+)$/.test(line);

/**
 * True if a line ends with a fence of backticks that it has not opened itself. People often close
 * pasted code in this way.
 */
const endsWith = (line: string, fence: string) => {
  const typed = line.trimEnd();
  return fence[0] === '`' && typed.endsWith(fence) && typed.indexOf(fence) === typed.length - fence.length;
};

/**
 * Creates a function that finds closing fences. It stores the last ones, so that all searches
 * together take linear time.
 */
export function findFenceEnds(lines: string[]): FindEnd {
  let last: ReturnType<typeof findLastEnds> | undefined;
  return (from, fence) => {
    last ??= findLastEnds(lines);
    if ((last.bare[fence[0] as '`' | '~'][from] ?? 0) < fence.length && (last.ending.get(fence) ?? -1) < from) return undefined;
    for (let at = from; at < lines.length; at++) if (closesFence(lines[at] as string, fence)) return at;
    return undefined;
  };
}

/**
 * The longest bare fence of each character from each line on, and the last line that ends with a
 * fence.
 */
function findLastEnds(lines: string[]) {
  const bare = { '`': Array<number>(lines.length + 1).fill(0), '~': Array<number>(lines.length + 1).fill(0) };
  const ending = new Map<string, number>();
  for (let at = lines.length - 1; at >= 0; at--) {
    const line = (lines[at] as string).trim();
    for (const sign of ['`', '~'] as const)
      bare[sign][at] = Math.max(bare[sign][at + 1] as number, isBare(line, sign) ? line.length : 0);
    const run = /(?<!`)`+$/.exec(line)?.[0] ?? '';
    if (endsWith(line, run) && !ending.has(run)) ending.set(run, at);
  }
  return { bare, ending };
}
