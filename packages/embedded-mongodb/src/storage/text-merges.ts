import type { Catalog } from './catalog.ts';
import { type GroupCommit, ifPossible } from './group-commit.ts';

/** So many pages of 4 KB are written in one piece, and so long others have their turn before the next. */
const pagesPerStep = 16;
const restMillis = 20;

/** Keeps the tables of text indexes together, piece by piece beside other work. Gives what is to be called when much was written. */
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
