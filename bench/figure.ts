/** One thing that was measured, in each of the systems that it was measured in. */
export interface Figure {
  readonly name: string;
  readonly unit: string;
  readonly values: Readonly<Record<string, number>>;
  /** What the first system's value must be to reach the goal. */
  readonly goal?: { readonly atMost: number } | { readonly atLeast: number };
}

/** What a suite may use. */
export interface Bench {
  /** How many messages the large collection has. */
  readonly messages: number;
  /** How often each operation is repeated. */
  readonly repeats: number;
  /** Says what is going on, in one line that the next one replaces. */
  progress(text: string): void;
}

/** Measures, and says what it found. */
export type Suite = (bench: Bench) => Promise<Figure[]>;

/** Whether a figure reaches its goal; `undefined` if it has none. */
export function reachesGoal({ goal, values }: Figure): boolean | undefined {
  const [value] = Object.values(values);
  if (goal === undefined || value === undefined) return undefined;
  return 'atMost' in goal ? value <= goal.atMost : value >= goal.atLeast;
}

/** The figures as a table for a terminal; beside other systems stands the ratio to the first one. */
export function tableOf(figures: readonly Figure[]): string {
  const systems = [...new Set(figures.flatMap(({ values }) => Object.keys(values)))];
  const [first = '', ...others] = systems;
  const head = ['', ...systems, ...others.map((other) => `${first} / ${other}`), 'goal', ''];
  const rows = figures.map((figure) => {
    const { name, unit, values, goal } = figure;
    const own = values[first];
    return [
      `${name} (${unit})`,
      ...systems.map((system) => shown(values[system])),
      ...others.map((other) => shown(own !== undefined && values[other] !== undefined ? own / values[other] : undefined)),
      goal === undefined ? '' : 'atMost' in goal ? `<= ${goal.atMost}` : `>= ${goal.atLeast}`,
      { true: 'reached', false: 'MISSED' }[String(reachesGoal(figure))] ?? '',
    ];
  });
  const widths = head.map((_, column) => Math.max(...[head, ...rows].map((row) => row[column]?.length ?? 0)));
  const line = (row: readonly string[]) =>
    row.map((cell, column) => (column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0))).join('  ');
  return [head, widths.map((width) => '-'.repeat(width)), ...rows].map(line).join('\n');
}

function shown(value: number | undefined): string {
  if (value === undefined) return '';
  return value >= 100 ? Math.round(value).toString() : value.toPrecision(3);
}
