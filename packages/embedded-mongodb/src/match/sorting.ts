import type { Operation } from '../operation.ts';
import type { Doc, Maybe } from '../values/value.ts';
import type { Sort } from './sort.ts';

/** An item with its sort values and its size in bytes. */
type KeyedItem<Item> = { readonly key: readonly Maybe[]; readonly item: Item; readonly size: number };

/** How to sort, keep and measure items. */
type Sortable<Item> = {
  readonly docOf: (item: Item) => Doc;
  /**
   * Reduces an item to the part that is kept until all items are read. Default: the item itself.
   */
  readonly kept?: (item: Item) => Item;
  /** The bytes that a kept item takes in memory. */
  readonly sizeOf: (item: Item) => number;
};

/** Number of items that are sorted without a break. */
const pieceLength = 1000;

/**
 * Sorts in memory. With a limit, keeps only items that may be among the first. An `undefined` in
 * the input or output is not an item; it is a point at which other commands may run.
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

/** Sorts pieces and merges them, so that other commands can run in between. */
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
