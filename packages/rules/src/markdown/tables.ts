import { isBlank } from './characters.ts';
import { parseInline } from './inline.ts';
import type { Alignment, FoundBlock } from './pieces.ts';
import { textOf } from './plain.ts';

/**
 * The table that begins at a line: a head, a line of dashes with the same number of cells, and
 * rows. A row keeps its own number of cells.
 */
export function tableAt(lines: string[], at: number): FoundBlock | undefined {
  const dashes = lines[at + 1];
  if (dashes === undefined || !/^ {0,3}[ :|-]+$/.test(dashes) || !dashes.includes('|')) return undefined;
  const columns = cellsOf(dashes);
  const head = cellsOf(lines[at] as string);
  if (head.length !== columns.length || !columns.every((cell) => /^:?-+:?$/.test(cell))) return undefined;
  let end = at + 2;
  while (end < lines.length && (lines[end] as string).includes('|')) end++;
  const [first = [], ...rows] = [head, ...lines.slice(at + 2, end).map(cellsOf)].map((cells) => cells.map(parseInline));
  // A table of empty cells would be invisible.
  if ([first, ...rows].every((row) => row.every((cell) => isBlank(textOf(cell))))) return undefined;
  return { block: { type: 'table', head: first, rows, align: columns.map(alignmentOf) }, end };
}

const alignmentOf = (dashes: string): Alignment =>
  dashes.endsWith(':') ? (dashes.startsWith(':') ? 'center' : 'right') : dashes.startsWith(':') ? 'left' : undefined;

/** The cells of a line; `\|` is a literal bar. */
const cellsOf = (line: string): string[] =>
  line
    .trim()
    .replace(/^\||(?<!\\)\|$/g, '')
    .split(/(?<!\\)\|/)
    .map((cell) => cell.replaceAll('\\|', '|').trim());
