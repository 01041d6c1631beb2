import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';

const axe = readFileSync(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8');

/** Returns the objections of axe-core, and the elements beyond the page's width. */
export async function objections(page: Page): Promise<string[]> {
  if (!(await page.evaluate("'axe' in globalThis"))) await page.evaluate(axe);
  await page.evaluate(settled);
  const found = (await page.evaluate(violations)) as string[];
  const wide = (await page.evaluate('document.documentElement.scrollWidth - innerWidth')) as number;
  return [...found, ...(wide > 0 ? [`${wide} pixels too wide`] : [])];
}

// An element that is still fading in has less contrast than in the end.
const settled = `Promise.allSettled(document.getAnimations()
  .filter((animation) => animation.effect.getComputedTiming().endTime < Infinity)
  .map(({ finished }) => finished)).then(() => undefined)`;

// Formats sentences within the page: transferring all results of axe-core would take longer than
// the check. No rule of these needs the style sheets.
const violations = `axe
  .run({ preload: { assets: ['media'] }, resultTypes: ['violations'], runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'] })
  .then(({ violations }) => violations.flatMap(({ id, nodes }) =>
    nodes.slice(0, 3).map(({ target, failureSummary }) => [id, ...target, failureSummary].join(' '))))`;
