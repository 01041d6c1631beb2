/** One thing that was measured. */
export type Figure = {
  name: string;
  /** Of the value and the reference; what comes `per second` is better when it is more, all else when it is less. */
  unit: string;
  value: number;
  /** The yardstick: what the same took elsewhere, measured by turns with it in the same run. */
  reference?: number;
  goal?: Goal;
  /** Why the goal is not reached, where that is known. */
  reason?: string;
  /** Too unsteady from run to run for its ratio to be held against the baseline. */
  isUnsteady?: true;
  /** What it was at each size, where something grows. */
  series?: readonly { size: number; value: number }[];
};

/** What the value, or its ratio to the reference, must be. */
export type Goal = { of: 'value' | 'ratio'; atMost: number } | { of: 'value' | 'ratio'; atLeast: number };

/** How much is measured, and what a suite may use. */
export type Bench = {
  /** How many messages the largest room and the large collection have. */
  messages: number;
  /** How many rooms the larger dataset has. */
  rooms: number;
  /** How often each operation is repeated. */
  repeats: number;
  /** How many processes are started for a cold start. */
  starts: number;
  /** For how long each operation is called over HTTP, and how often that is done to take the best. */
  seconds: number;
  rounds: number;
  /** Says what is going on, in one line that the next one replaces. */
  progress(text: string): void;
};

/** Measures, and says what it found. */
export type Suite = (bench: Bench) => Promise<Figure[]>;

/** How many times the reference the value is; a unit of `ratio` is one already. */
export function ratioOf({ unit, value, reference }: Figure): number | undefined {
  return unit === 'ratio' ? value : reference === undefined ? undefined : value / reference;
}

/** Whether a figure reaches its goal; `undefined` if it has none. */
export function reachesGoal(figure: Figure): boolean | undefined {
  const { goal, value } = figure;
  const held = goal?.of === 'ratio' ? ratioOf(figure) : value;
  if (goal === undefined || held === undefined) return undefined;
  return 'atMost' in goal ? held <= goal.atMost : held >= goal.atLeast;
}

/** Whether more of it is better. */
export const isRate = ({ unit }: Figure): boolean => unit.endsWith('per second');
