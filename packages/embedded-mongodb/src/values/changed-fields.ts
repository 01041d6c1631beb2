import { RawCursor, rawDocument } from './raw.ts';

/**
 * The names of the fields that differ between two versions of a document. `undefined` if their
 * fields are not the same or not in the same order.
 */
export function changedFields(before: Buffer, after: Buffer): ReadonlySet<string> | undefined {
  const [one, other] = [new RawCursor(rawDocument(before)), new RawCursor(rawDocument(after))];
  const changed = new Set<string>();
  while (one.next()) {
    if (!other.next() || !isSame(before, one.nameStart, one.start, after, other.nameStart, other.start)) return undefined;
    const isUnchanged = one.type === other.type && isSame(before, one.start, one.end, after, other.start, other.end);
    if (!isUnchanged) changed.add(before.toString('utf8', one.nameStart, one.start - 1));
  }
  return other.next() ? undefined : changed;
}

/** Up to this many bytes, a loop is faster than a call. */
const few = 24;

function isSame(one: Buffer, start: number, end: number, other: Buffer, otherStart: number, otherEnd: number): boolean {
  const length = end - start;
  if (otherEnd - otherStart !== length) return false;
  if (length > few) return one.compare(other, otherStart, otherEnd, start, end) === 0;
  for (let at = 0; at < length; at++) if (one[start + at] !== other[otherStart + at]) return false;
  return true;
}
