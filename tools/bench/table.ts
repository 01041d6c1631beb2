import { describeChange } from './baseline.ts';
import { type Figure, type Goal, ratioOf, reachesGoal } from './figure.ts';

const tableHead = ['', 'unit', 'value', 'reference', 'ratio', 'baseline', 'goal', '', ''];

/**
 * Formats each figure as a table row with the columns of `tableHead`. The last two are the result
 * and its reason or note.
 */
const rowsOf = (figures: readonly Figure[], baseline: Readonly<Record<string, number>>): string[][] =>
  figures.map((figure) => {
    const isReached = reachesGoal(figure);
    return [
      figure.name,
      figure.unit,
      shown(figure.value),
      shown(figure.reference),
      shown(ratioOf(figure)),
      describeChange(figure, baseline[figure.name]),
      goalOf(figure.goal),
      isReached === undefined ? '' : isReached ? 'reached' : 'MISSED',
      [isReached === false ? figure.reason : undefined, figure.note].filter(Boolean).join('; '),
    ];
  });

/** Formats the figures as a table for a terminal. */
export function tableOf(figures: readonly Figure[], baseline: Readonly<Record<string, number>> = {}): string {
  const rows = rowsOf(figures, baseline);
  const widths = tableHead.map((_, column) => Math.max(...[tableHead, ...rows].map((row) => row[column]?.length ?? 0)));
  const isText = (column: number) => column < 2 || column > 6;
  const line = (row: readonly string[]) =>
    row
      .map((cell, column) => (isText(column) ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0)))
      .join('  ')
      .trimEnd();
  return [tableHead, widths.map((width) => '-'.repeat(width)), ...rows].map(line).join('\n');
}

const goalOf = (goal: Goal | undefined) =>
  goal === undefined ? '' : `${goal.of} ${'atMost' in goal ? `<= ${goal.atMost}` : `>= ${goal.atLeast}`}`;

function shown(value: number | undefined): string {
  if (value === undefined) return '';
  return value >= 100 || Number.isInteger(value) ? Math.round(value).toString() : value.toPrecision(3);
}
