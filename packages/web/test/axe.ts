import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';

const standards = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

/** The rules whose result depends on the colours of the theme. */
export const colourRules = ['color-contrast', 'link-in-text-block'];

const axe = readFileSync(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8');

/**
 * Returns what axe-core objects to, and what reaches beyond the page's width. `rules` are the
 * only rules to check. By default it checks all that belong to the usual standards.
 */
export async function objections(page: Page, rules: readonly string[] = standards): Promise<string[]> {
  if (!(await page.evaluate("'axe' in globalThis"))) await page.evaluate(axe);
  await page.evaluate(settled);
  const found = (await page.evaluate(violationsOf(rules))) as string[];
  const wide = (await page.evaluate('document.documentElement.scrollWidth - innerWidth')) as number;
  // An open menu belongs to its button, wherever it is in the document. The rule exempts only
  // dialogs.
  const faults = found.filter((fault) => !fault.startsWith('region .popover'));
  return [...faults, ...(wide > 0 ? [`${wide} pixels too wide`] : [])];
}

// What is still fading in has less contrast than it will have.
const settled = `Promise.allSettled(document.getAnimations()
  .filter((animation) => animation.effect.getComputedTiming().endTime < Infinity)
  .map(({ finished }) => finished)).then(() => undefined)`;

// Put into sentences within the page: all that axe-core has to tell would take longer on its way out than to find.
const violationsOf = (rules: readonly string[]) => `axe
  .run({ resultTypes: ['violations'], runOnly: ${JSON.stringify(rules)} })
  .then(({ violations }) => violations.flatMap(({ id, nodes }) =>
    nodes.slice(0, 3).map(({ target, failureSummary }) => [id, ...target, failureSummary].join(' '))))`;
