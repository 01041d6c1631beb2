/** A text that people typed, without what a terminal would take for a command. */
export const harmless = (text: string): string => text.replace(/[\p{Cc}\p{Bidi_Control}\p{Zl}\p{Zp}]/gu, '\u{fffd}');

/** Formats rows of words as columns, each as wide as its widest word. */
export function table(head: string[], rows: string[][]): string {
  const all = [head, ...rows.map((row) => row.map(harmless))];
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
