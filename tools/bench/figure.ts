/** A measured value. */
export type Figure = {
  name: string;
  /**
   * The unit of the value and the reference. For `per second`, more is better; for other units,
   * less.
   */
  unit: string;
  value: number;
  /** The value of the yardstick, which is measured alternately in the same run. */
  reference?: number;
  goal?: Goal;
  /** Why the goal is missed, if known. */
  reason?: string;
  /** A remark for the reader. */
  note?: string;
  /** True if the ratio varies too much between runs for a comparison with the baseline. */
  isUnsteady?: true;
};

/** A limit for the value, or for its ratio to the reference. */
export type Goal = { of: 'value' | 'ratio'; atMost: number } | { of: 'value' | 'ratio'; atLeast: number };

/** The amount of measurements, and a way to report progress. */
export type Bench = {
  /** Messages of the largest room and of the large collection. */
  messages: number;
  /** Rooms of the larger dataset. */
  rooms: number;
  /** Calls per operation. */
  repeats: number;
  /**
   * Seconds per operation and round over HTTP, and the number of rounds. Only the best round
   * counts.
   */
  seconds: number;
  rounds: number;
  /** Shows the current step. On a terminal, it replaces the previous one. */
  progress(text: string): void;
};

/** A suite of measurements. */
export type Suite = (bench: Bench) => Promise<Figure[]>;

/** The ratio of the value to the reference. A value with the unit `ratio` is a ratio itself. */
export function ratioOf({ unit, value, reference }: Figure): number | undefined {
  return unit === 'ratio' ? value : reference === undefined ? undefined : value / reference;
}

/** True if a figure reaches its goal; `undefined` without a goal. */
export function reachesGoal(figure: Figure): boolean | undefined {
  const { goal, value } = figure;
  const actual = goal?.of === 'ratio' ? ratioOf(figure) : value;
  if (goal === undefined || actual === undefined) return undefined;
  return 'atMost' in goal ? actual <= goal.atMost : actual >= goal.atLeast;
}

/** True if more is better. */
export const isRate = ({ unit }: Figure): boolean => unit.endsWith('per second');
