import { compileSort } from '../match/sort.ts';
import { sorted } from '../match/sorting.ts';
import { checkThere, type Entry, entriesAfter, type Scan, type StoredDocument } from '../storage/scan.ts';
import { decodeStored } from '../values/bson.ts';
import type { Counts, IndexPlan, TextPlan } from './plan.ts';
import { isFound } from './text-search.ts';

/** What few documents have is found all at once and put in order; with more, the order comes first. */
const mostAtOnce = 500;

/** So many are found together. */
const chunkRows = 128;

/** How many documents of an index are taken together: so many first, and so many at last. */
const firstWindow = 64;
const lastWindow = 8192;

/** Where documents lie so scattered that for each that is asked about so many others are found, each is looked at by itself. */
const mostScattered = 4;

/**
 * The documents that a `$text` asks for, in the order that is asked for or else newest first, and `undefined` where others may have
 * their turn. The work is that of the documents taken and of those between them, however many others have the words.
 */
export function* scanText(plan: TextPlan, scan: Scan, counts: Counts): Generator<StoredDocument | undefined> {
  const { order, expressions } = plan;
  if (expressions.length === 0) return;
  scan.operation.takeShortSlices();
  if (order === undefined) {
    yield* checked(plan, newestFirst(plan, scan), scan, counts);
    return;
  }
  const few = yield* having(plan, 0, Number.MAX_SAFE_INTEGER, mostAtOnce, scan);
  if (few === undefined) {
    yield* inOrderOf(order.by, plan, scan, counts);
    return;
  }
  const found = checked(plan, few, scan, counts);
  const sizeOf = ({ document }: StoredDocument) => document.length;
  yield* sorted(found, compileSort(order.sort), { docOf: ({ document }) => decodeStored(document), sizeOf }, scan.operation);
}

function* newestFirst({ index, expressions, tokens }: TextPlan, { collection }: Scan): Generator<number> {
  const expression = expressions.join(' OR ');
  let last = Number.MAX_SAFE_INTEGER;
  for (const rid of index.pending(tokens)) {
    yield rid;
    last = rid;
  }
  for (let rids: number[]; ; last = rids.at(-1) as number) {
    checkThere(collection, index);
    rids = index.newest(expression, last, chunkRows);
    yield* rids;
    if (rids.length < chunkRows) return;
  }
}

/** Goes through the documents of another index, in its order. */
function* inOrderOf(by: IndexPlan, plan: TextPlan, scan: Scan, counts: Counts): Generator<StoredDocument | undefined> {
  const { index, ranges, backward } = by;
  const seen = new Set<number>();
  // Where most documents match, it is quicker to look at each than to ask the text index about them first.
  let asksFirst = false;
  for (const range of ranges) {
    let last: Entry | undefined;
    for (let size = firstWindow; ; size = Math.min(4 * size, lastWindow)) {
      const entries = entriesAfter(index, range, last, { ...scan, backward }, size);
      const rids = entries.map(([, rid]) => rid).filter((rid) => index.multikey === 0 || (!seen.has(rid) && seen.add(rid)));
      const candidates: readonly number[] = asksFirst ? yield* mayMatch(plan, rids, scan) : rids;
      let matches = 0;
      for (const stored of checked(plan, candidates, scan, counts)) {
        if (stored !== undefined) matches++;
        yield stored;
      }
      if (entries.length < size) break;
      last = entries.at(-1);
      asksFirst = (asksFirst ? candidates.length : matches) < rids.length / 2;
    }
  }
}

/** Those documents of which the text index cannot tell that they do not match. */
function* mayMatch(plan: TextPlan, rids: number[], scan: Scan): Generator<undefined, readonly number[]> {
  const found = yield* having(plan, Math.min(...rids), Math.max(...rids), mostScattered * rids.length, scan);
  return found === undefined ? rids : rids.filter((rid) => found.has(rid));
}

/** The documents between two that have the words, by the text index; `undefined` if there are more than so many. */
function* having(
  { index, expressions, tokens }: TextPlan,
  first: number,
  last: number,
  most: number,
  { operation }: Scan,
): Generator<undefined, ReadonlySet<number> | undefined> {
  const found = new Set<number>();
  for (const expression of expressions) {
    for (const rid of index.among(expression, first, last, most + 1)) found.add(rid);
    if (found.size > most) return undefined;
    if (operation.isDue()) yield undefined;
  }
  // Asked for last, for what waited before may have been stored meanwhile.
  for (const rid of index.pending(tokens)) if (rid >= first && rid <= last) found.add(rid);
  return found;
}

/** Those of some documents in which is what is asked for, and `undefined` where others may have their turn. */
function* checked(
  { index, search }: TextPlan,
  rids: Iterable<number>,
  { collection, operation }: Scan,
  counts: Counts,
): Generator<StoredDocument | undefined> {
  for (const rid of rids) {
    counts.keys++;
    const document = collection.get(rid);
    if (document === undefined) continue;
    counts.documents++;
    if (isFound(search, index.textsOf(document))) yield { rid, document };
    if (operation.isDue()) yield undefined;
  }
}
