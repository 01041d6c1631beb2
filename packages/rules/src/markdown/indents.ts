/** Whether a line has nothing but spaces. */
export const isBlankLine = (line: string): boolean => line.trim() === '';

/** How far a line is indented, in columns: a tab leads to the next fourth one. */
export function indentOf(line: string): number {
  let columns = 0;
  for (const character of line) {
    if (character === '\t') columns += 4 - (columns % 4);
    else if (character === ' ') columns++;
    else break;
  }
  return columns;
}

/** A line without so many columns of its indentation, as far as it has them. */
export function withoutIndent(line: string, most: number): string {
  if (most === 0) return line;
  return ' '.repeat(Math.max(0, indentOf(line) - most)) + line.replace(/^[ \t]+/, '');
}

/**
 * How an item of a list begins: its sign (the same for all numbers), its number, the column of the sign and of the text after it, and
 * the text.
 */
export type ItemStart = { sign: string; number: number | undefined; indent: number; textFrom: number; text: string };

/** The item of a list that begins in a line. A year or a phone number is no number of an item, and `* * *` is a time of cron. */
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
