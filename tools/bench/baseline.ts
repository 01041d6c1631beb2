import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type Figure, isRate, ratioOf } from './figure.ts';

/** The ratios of an earlier run, by suite and figure. Only ratios: times depend on the machine. */
type Baseline = Readonly<Record<string, Readonly<Record<string, number>>>>;

/**
 * The factor by which a ratio may be worse than the baseline's before it counts as a slowdown: how much two runs on a busy machine
 * differ. Times are medians of many rounds; rates are medians of few.
 */
export const tolerance = { time: 1.3, rate: 2 } as const;

/** Where the baseline is kept. */
export const baselineFile = fileURLToPath(new URL('./baseline.json', import.meta.url));

/** The baseline, empty when there is none yet. */
export function readBaseline(file = baselineFile): Baseline {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {};
    throw error;
  }
}

/** The ratios that later runs are compared with. */
export function baselineOf(figures: readonly Figure[]): Record<string, number> {
  return Object.fromEntries(
    figures.flatMap((figure) => {
      const ratio = ratioOf(figure);
      return ratio === undefined || figure.isUnsteady ? [] : [[figure.name, Number(ratio.toPrecision(3))]];
    }),
  );
}

/** How many times slower than its baseline a figure is; undefined when one of the two has no ratio. */
function slowdownOf(figure: Figure, before: number | undefined): number | undefined {
  const ratio = ratioOf(figure);
  if (before === undefined || ratio === undefined || figure.isUnsteady) return undefined;
  return isRate(figure) ? before / ratio : ratio / before;
}

/** Whether the slowdown is more than noise. */
export const isSlower = (figure: Figure, before: number | undefined): boolean =>
  (slowdownOf(figure, before) ?? 0) > toleranceOf(figure);

const toleranceOf = (figure: Figure): number => (isRate(figure) ? tolerance.rate : tolerance.time);

/** The baseline's ratio and how it has changed, in words. */
export function describeChange(figure: Figure, before: number | undefined): string {
  const slowdown = slowdownOf(figure, before);
  if (slowdown === undefined) return '';
  const tolerance = toleranceOf(figure);
  if (slowdown > tolerance) return `${before} ${slowdown.toFixed(2)} x SLOWER`;
  return slowdown < 1 / tolerance ? `${before} ${(1 / slowdown).toFixed(2)} x faster` : String(before);
}
