import { toPrintableJson } from '../lib/base/printable-json.ts';

/*
 * All that a command writes goes through `print` and `printJson`, and what it asks through `harmless`: whatever was stored, a terminal gets no
 * command from it, and no line reads in another order than it is written.
 */

/** A text without what a terminal would take for a command, but for the ends of its lines. */
export const harmless = (text: string): string => text.replace(/[^\P{Cc}\n]|[\p{Bidi_Control}\p{Zl}\p{Zp}]/gu, '\u{fffd}');

/** Writes lines for people. */
export const print = (stream: Output, text: string): void => void stream.write(`${harmless(text)}\n`);

/** Writes a value as a line for programs, which get each character as it is stored. */
export const printJson = (stream: Output, value: unknown): void => void stream.write(`${toPrintableJson(value)}\n`);

type Output = Pick<NodeJS.WritableStream, 'write'>;

/** Formats rows of words as columns, each as wide as its widest word. */
export function table(head: string[], rows: string[][]): string {
  const all = [head, ...rows.map((row) => row.map((word) => harmless(word.replaceAll('\n', ' '))))];
  const widths = head.map((_word, column) => Math.max(...all.map((row) => row[column]?.length ?? 0)));
  return all
    .map((row) =>
      row
        .map((word, column) => word.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

/** A boolean as a word of a row. */
export const yesOrNo = (value: boolean): string => (value ? 'yes' : 'no');
