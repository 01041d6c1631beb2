import type { Operation } from '../operation.ts';
import type { Doc, Maybe } from '../values/value.ts';
import type { Sort } from './sort.ts';

/** An item to sort, with the values to sort it by. */
type KeyedItem<Item> = { readonly key: readonly Maybe[]; readonly item: Item; readonly size: number };

/** What sorting needs to know of its items. */
type Sortable<Item> = {
  readonly docOf: (item: Item) => Doc;
  /** What is kept of an item until all items are there; by default the item itself. */
  readonly kept?: (item: Item) => Item;
  /** How many bytes that takes in memory. */
  readonly sizeOf: (item: Item) => number;
};

/** How many items are sorted in one piece. */
const pieceLength = 1000;

/**
 * Sorts in memory; with a limit, keeps only the items that may be among the first. An `undefined` in the input or the
 * output is not an item: it lets other commands have their turn.
 */
export function* sorted<Item>(
  input: Iterable<Item | undefined>,
  sort: Sort,
  { docOf, kept = (item) => item, sizeOf }: Sortable<Item>,
  operation: Operation | undefined,
  wanted = Number.POSITIVE_INFINITY,
): Generator<Item | undefined> {
  const compare = (a: KeyedItem<Item>, b: KeyedItem<Item>) => sort.compareKeys(a.key, b.key);
  const items: KeyedItem<Item>[] = [];
  for (const item of input) {
    if (item === undefined) {
      yield undefined;
      continue;
    }
    const size = sizeOf(item);
    operation?.hold(size, 'Sort');
    items.push({ key: sort.keyOf(docOf(item)), item: kept(item), size });
    if (items.length < 2 * wanted + pieceLength) continue;
    items.sort(compare);
    for (const { size } of items.splice(wanted)) operation?.release(size);
  }
  for (const { item } of (yield* inOrder(items, compare, operation)).slice(0, wanted)) yield item;
}

/** Sorts piece by piece and then merges the pieces, so that others have their turn in between. */
function* inOrder<T>(
  items: readonly T[],
  compare: (a: T, b: T) => number,
  operation: Operation | undefined,
): Generator<undefined, readonly T[]> {
  let runs: (readonly T[])[] = [];
  for (let at = 0; at < items.length; at += pieceLength) {
    runs.push(items.slice(at, at + pieceLength).sort(compare));
    if (operation?.isDue()) yield undefined;
  }
  while (runs.length > 1) {
    const merged: (readonly T[])[] = [];
    for (let i = 0; i < runs.length; i += 2) merged.push(yield* merge(runs[i] ?? [], runs[i + 1] ?? [], compare, operation));
    runs = merged;
  }
  return runs[0] ?? [];
}

function* merge<T>(
  one: readonly T[],
  other: readonly T[],
  compare: (a: T, b: T) => number,
  operation: Operation | undefined,
): Generator<undefined, readonly T[]> {
  const merged: T[] = [];
  for (let i = 0, j = 0; i < one.length || j < other.length; ) {
    const isFirst = j >= other.length || (i < one.length && compare(one[i] as T, other[j] as T) <= 0);
    merged.push((isFirst ? one[i++] : other[j++]) as T);
    if (merged.length % pieceLength === 0 && operation?.isDue()) yield undefined;
  }
  return merged;
}
