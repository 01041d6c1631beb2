import type { Catalog } from './catalog.ts';
import { type GroupCommit, ifPossible } from './group-commit.ts';

/**
 * Pages of 4 KB that a merge step writes, and the pause after it, so that other commands can run.
 */
const pagesPerStep = 16;
const restMillis = 20;

/**
 * Merges the tables of text indexes step by step in the background. Call the returned function
 * after many writes.
 */
export function createTextMerges(catalog: Catalog, commits: GroupCommit): () => void {
  let isWaiting = false;
  const step = () => {
    isWaiting = false;
    const untidy = catalog.all().flatMap(({ text }) => (text?.isUntidy ? [text] : []));
    if (untidy.length === 0 || commits.failure !== undefined) return;
    ifPossible(() => commits.write(() => untidy[0]?.merge(pagesPerStep)));
    wake();
  };
  const wake = () => {
    if (!isWaiting) setTimeout(step, restMillis).unref();
    isWaiting = true;
  };
  return wake;
}
