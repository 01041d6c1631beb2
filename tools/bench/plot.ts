import type { Figure } from './figure.ts';
import { mostGrowth } from './growth.ts';

/**
 * Plots how times grow, as multiples of the time in the smallest dataset: a panel for each thing that grows, a line for each operation,
 * the goal dashed; readable in light and dark mode.
 */
export function plotOf(figures: readonly Figure[]): string {
  const panels = Map.groupBy(
    figures.filter(({ series }) => series !== undefined),
    ({ name }) => / (\w+) \/ /.exec(name)?.[1] ?? '',
  );
  const names = [...new Set(figures.map(operationOf))];
  const most = Math.max(mostGrowth, ...figures.flatMap(timesOf));
  const ceiling = Math.ceil(most * 2) / 2;
  const drawn = [...panels].map(([of, lines], at) =>
    panel({ of, lines, names, ceiling, left: leftMargin + at * (plotWidth + plotGap) }),
  );
  const width = leftMargin + panels.size * (plotWidth + plotGap);
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${plotHeight + 90}" font-family="sans-serif" font-size="12">`,
    '<title>Time of an operation by size of the dataset, as a multiple of the time in the smallest one</title>',
    `<style>${style}</style>`,
    ...drawn,
    ...names.map((name, at) => {
      const x = leftMargin + at * 190;
      const y = plotHeight + 75;
      return `<path class="line c${at}" d="M${x} ${y - 4}h20"/><text x="${x + 26}" y="${y}">${name}</text>`;
    }),
    '</svg>\n',
  ].join('\n');
}

const leftMargin = 45;
const topMargin = 25;
const plotWidth = 220;
const plotHeight = 200;
const plotGap = 40;

// Greys and hues that stand out from both white and GitHub's dark background; the text follows the reader's setting.
const style = `
  text { fill: #1f2328 } .grid { stroke: #8b949e; stroke-opacity: .35 } .line { stroke-width: 2 } .limit { stroke: #8b949e; stroke-dasharray: 4 }
  .c0 { stroke: #2f81f7; fill: #2f81f7 } .c1 { stroke: #db6d28; fill: #db6d28 } .c2 { stroke: #2da44e; fill: #2da44e } .c3 { stroke: #a371f7; fill: #a371f7 }
  .line { fill: none } @media (prefers-color-scheme: dark) { text { fill: #e6edf3 } }
`;

type Panel = { of: string; lines: Figure[]; names: string[]; ceiling: number; left: number };

function panel({ of, lines, names, ceiling, left }: Panel): string {
  const sizes = [...new Set(lines.flatMap(({ series = [] }) => series.map(({ size }) => size)))].sort((a, b) => a - b);
  const [least = 1] = sizes;
  const greatest = sizes.at(-1) ?? 10;
  const x = (size: number) => round(left + (plotWidth * Math.log(size / least)) / Math.log(greatest / least));
  const y = (value: number) => round(topMargin + plotHeight * (1 - value / ceiling));
  const ticks = Array.from({ length: 2 * ceiling + 1 }, (_, at) => at / 2);
  return [
    ...ticks.map(
      (tick) => `<path class="grid" d="M${left} ${y(tick)}h${plotWidth}"/>${label(left - 6, y(tick) + 4, 'end', `${tick} x`)}`,
    ),
    `<path class="limit" d="M${left} ${y(mostGrowth)}h${plotWidth}"/>`,
    ...sizes.map((size) => label(x(size), topMargin + plotHeight + 18, 'middle', size.toLocaleString('en').replaceAll(',', ' '))),
    label(left + plotWidth / 2, topMargin + plotHeight + 36, 'middle', of),
    ...lines.map((line) => {
      const times = timesOf(line);
      const points = (line.series ?? []).map(({ size }, at) => [x(size), y(times[at] ?? 0)] as const);
      const colour = `c${names.indexOf(operationOf(line))}`;
      const dots = points.map(([cx, cy]) => `<circle class="${colour}" cx="${cx}" cy="${cy}" r="3"/>`).join('');
      return `<path class="line ${colour}" d="M${points.map((point) => point.join(' ')).join('L')}"/>${dots}`;
    }),
  ].join('\n');
}

const timesOf = ({ series = [] }: Figure) => series.map(({ value }) => value / (series[0]?.value ?? 1));

const operationOf = ({ name }: Figure) => name.replace(/:.*/, '');

const label = (x: number, y: number, anchor: string, text: string) =>
  `<text x="${x}" y="${y}" text-anchor="${anchor}">${text}</text>`;

const round = (value: number) => Math.round(value * 10) / 10;
