/** True if a line is empty or has only spaces. */
export const isBlankLine = (line: string): boolean => line.trim() === '';

/** The indentation of a line in columns. A tab reaches the next multiple of four. */
export function indentOf(line: string): number {
  let columns = 0;
  for (const character of line) {
    if (character === '\t') columns += 4 - (columns % 4);
    else if (character === ' ') columns++;
    else break;
  }
  return columns;
}

/** A line without up to `most` columns of its indentation. */
export function withoutIndent(line: string, most: number): string {
  if (most === 0) return line;
  return ' '.repeat(Math.max(0, indentOf(line) - most)) + line.replace(/^[ \t]+/, '');
}

/**
 * The beginning of a list item: its marker (the same for all numbers), its number, the columns of
 * marker and text, and the text.
 */
export type ItemStart = { sign: string; number: number | undefined; indent: number; textFrom: number; text: string };

/**
 * The list item that begins in a line. A year or a phone number is not a number of an item, and `*
 * * *` is a cron schedule.
 */
export function itemAt(line: string): ItemStart | undefined {
  const found = /^[ \t]*((?!(?:[-*+] ){2})[-*+]|(?!0\d)(\d{1,3})[.)])(?:([ \t]+)(?=\S)|$)/.exec(line);
  if (!found) return undefined;
  const [all, marker = '', digits, space = ' '] = found;
  const indent = indentOf(line);
  return {
    sign: digits === undefined ? marker : '1',
    number: digits === undefined ? undefined : Number(digits),
    indent,
    textFrom: indent + marker.length + Math.min(4, space.length),
    text: line.slice(all.length),
  };
}
