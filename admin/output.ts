import { toPrintableJson } from '../lib/base/printable-json.ts';

/*
 * Everything that a command writes goes through `print` and `printJson`, and its questions through
 * `harmless`. So stored data cannot send commands to the terminal, and lines cannot be displayed in
 * another order.
 */

/** Removes control characters that a terminal would interpret, except line ends. */
export const harmless = (text: string): string => text.replace(/[^\P{Cc}\n]|[\p{Bidi_Control}\p{Zl}\p{Zp}]/gu, '\u{fffd}');

/** Writes text for people. */
export const print = (stream: Output, text: string): void => void stream.write(`${harmless(text)}\n`);

/** Writes a value as a line for programs, which get each character as it is stored. */
export const printJson = (stream: Output, value: unknown): void => void stream.write(`${toPrintableJson(value)}\n`);

type Output = Pick<NodeJS.WritableStream, 'write'>;

/** Formats rows as columns, each as wide as its widest word. */
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

export const yesOrNo = (value: boolean): string => (value ? 'yes' : 'no');
