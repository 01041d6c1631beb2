/** A measured value. */
export type Figure = {
  name: string;
  /** The unit of the value and the reference: more is better if it is `per second`, less for any other. */
  unit: string;
  value: number;
  /** The yardstick: the same measured elsewhere, alternately in the same run. */
  reference?: number;
  goal?: Goal;
  /** Why the goal is not reached, if known. */
  reason?: string;
  /** What else there is to know of it. */
  note?: string;
  /** Too unsteady from run to run for its ratio to be compared with the baseline. */
  isUnsteady?: true;
};

/** A limit for the value, or for its ratio to the reference. */
export type Goal = { of: 'value' | 'ratio'; atMost: number } | { of: 'value' | 'ratio'; atLeast: number };

/** How much a suite measures, and how it reports progress. */
export type Bench = {
  /** How many messages the largest room and the large collection have. */
  messages: number;
  /** How many rooms the larger dataset has. */
  rooms: number;
  /** How often each operation is repeated. */
  repeats: number;
  /** For how long each operation is called over HTTP, and in how many rounds, of which the best counts. */
  seconds: number;
  rounds: number;
  /** Shows the current step, in one line that the next one replaces. */
  progress(text: string): void;
};

/** Measures, and returns the figures. */
export type Suite = (bench: Bench) => Promise<Figure[]>;

/** The ratio of the value to the reference; a value in the unit `ratio` is one already. */
export function ratioOf({ unit, value, reference }: Figure): number | undefined {
  return unit === 'ratio' ? value : reference === undefined ? undefined : value / reference;
}

/** Whether a figure reaches its goal; `undefined` if it has none. */
export function reachesGoal(figure: Figure): boolean | undefined {
  const { goal, value } = figure;
  const actual = goal?.of === 'ratio' ? ratioOf(figure) : value;
  if (goal === undefined || actual === undefined) return undefined;
  return 'atMost' in goal ? actual <= goal.atMost : actual >= goal.atLeast;
}

/** Whether more of it is better. */
export const isRate = ({ unit }: Figure): boolean => unit.endsWith('per second');
