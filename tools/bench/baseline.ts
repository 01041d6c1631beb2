import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type Figure, isRate, ratioOf } from './figure.ts';

/**
 * Ratios of an earlier run, by suite and figure. Absolute times are left out because they depend on
 * the machine.
 */
type Baseline = Readonly<Record<string, Readonly<Record<string, number>>>>;

/**
 * The least slowdown that counts, relative to the baseline's ratio: two runs on a busy machine
 * differ that much. Times are medians of many rounds; rates are medians of few.
 */
export const tolerance = { time: 1.3, rate: 2 } as const;

export const baselineFile = fileURLToPath(new URL('./baseline.json', import.meta.url));

/** Reads the baseline; empty if the file does not exist. */
export function readBaseline(): Baseline {
  try {
    return JSON.parse(readFileSync(baselineFile, 'utf8'));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {};
    throw error;
  }
}

/** The ratios to store in the baseline. */
export function baselineOf(figures: readonly Figure[]): Record<string, number> {
  return Object.fromEntries(
    figures.flatMap((figure) => {
      const ratio = ratioOf(figure);
      return ratio === undefined || figure.isUnsteady ? [] : [[figure.name, Number(ratio.toPrecision(3))]];
    }),
  );
}

/**
 * The slowdown of a figure relative to its baseline, e.g. 2 for twice as slow; `undefined` if
 * either lacks a ratio.
 */
function slowdownOf(figure: Figure, before: number | undefined): number | undefined {
  const ratio = ratioOf(figure);
  if (before === undefined || ratio === undefined || figure.isUnsteady) return undefined;
  return isRate(figure) ? before / ratio : ratio / before;
}

/** True if a figure is slower than its baseline by more than noise. */
export const isSlower = (figure: Figure, before: number | undefined): boolean =>
  (slowdownOf(figure, before) ?? 0) > toleranceOf(figure);

const toleranceOf = (figure: Figure): number => (isRate(figure) ? tolerance.rate : tolerance.time);

/** Describes the baseline's ratio and the change since then. */
export function describeChange(figure: Figure, before: number | undefined): string {
  const slowdown = slowdownOf(figure, before);
  if (slowdown === undefined) return '';
  const tolerance = toleranceOf(figure);
  if (slowdown > tolerance) return `${before} ${slowdown.toFixed(2)} x SLOWER`;
  return slowdown < 1 / tolerance ? `${before} ${(1 / slowdown).toFixed(2)} x faster` : String(before);
}
