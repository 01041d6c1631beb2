import { compileSort } from '../match/sort.ts';
import { sorted } from '../match/sorting.ts';
import { checkThere, type Entry, entriesAfter, type Scan, type StoredDocument } from '../storage/scan.ts';
import { decodeStored } from '../values/bson.ts';
import type { Counts, IndexPlan, TextPlan } from './plan.ts';
import { isFound } from './text-search.ts';

/** Up to this many candidates are read and sorted. With more, an index provides the order. */
const mostAtOnce = 500;

/** Rows that one query of the text index returns. */
const chunkRows = 128;

/**
 * Entries of the ordering index that are examined together. The number grows from the first to the
 * last.
 */
const firstWindow = 64;
const lastWindow = 8192;

/**
 * If the text index has more candidates per row than this, the rows are tested one by one instead.
 */
const mostScattered = 4;

/**
 * Yields the documents that match a `$text`, in the requested order or else newest first, and
 * `undefined` at points at which other commands may run. The cost depends on the documents taken
 * and those between them, not on all documents that have the words.
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

/** Walks through another index and tests its documents in its order. */
function* inOrderOf(by: IndexPlan, plan: TextPlan, scan: Scan, counts: Counts): Generator<StoredDocument | undefined> {
  const { index, ranges, backward } = by;
  const seen = new Set<number>();
  // If most documents match, testing each one is faster than asking the text index first.
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

/** The documents that the text index cannot rule out. */
function* mayMatch(plan: TextPlan, rids: number[], scan: Scan): Generator<undefined, readonly number[]> {
  const found = yield* having(plan, Math.min(...rids), Math.max(...rids), mostScattered * rids.length, scan);
  return found === undefined ? rids : rids.filter((rid) => found.has(rid));
}

/**
 * The documents from `first` to `last` that have the words according to the text index; `undefined`
 * if there are more than `most`.
 */
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
  // Read the pending documents last: the text index may have absorbed some of them meanwhile.
  for (const rid of index.pending(tokens)) if (rid >= first && rid <= last) found.add(rid);
  return found;
}

/**
 * Yields the documents that match the search, and `undefined` at points at which other commands may
 * run.
 */
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
