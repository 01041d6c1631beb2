import { type Doc, isDoc, type Value } from './value.ts';

/** The first part of a path. */
export function topOf(path: string): string {
  return path.split('.', 1)[0] as string;
}

/** Receives one value at a path; `undefined` if it is missing. Returns true to stop. */
type Visitor = (value: Value | undefined) => boolean;

/**
 * Calls a visitor with each value at a dotted path until it returns true, as MongoDB's predicates
 * require. An array on the way is walked both by element and by position. For an array at the end,
 * the visitor receives the elements and then the array, or with `wholeArrays` only the array.
 */
export function visitPath(doc: Doc, path: readonly string[], wholeArrays: boolean, visit: Visitor): boolean {
  return visitFrom(doc, path, 0, wholeArrays, visit);
}

/**
 * All values at a dotted path, with the elements of an array in place of the array. `distinct` and
 * `$lookup` need this.
 */
export function valuesAt(doc: Doc, path: readonly string[]): Value[] {
  const found: Value[] = [];
  collect(doc, path, 0, found);
  return found;
}

/** True if a part of a path can be a position in an array. */
export function isIndex(part: string): boolean {
  return /^(0|[1-9]\d*)$/.test(part);
}

/** An array as the document that BSON encodes it as. */
export function arrayAsDoc(items: readonly Value[]): Doc {
  return new Map(items.map((item, i) => [String(i), item]));
}

function collect(value: Value | undefined, path: readonly string[], at: number, found: Value[]): void {
  if (value === undefined) return;
  if (at === path.length) {
    // Adds items one by one: an array may be longer than an argument list.
    if (Array.isArray(value)) for (const item of value) found.push(item);
    else found.push(value);
    return;
  }
  const part = path[at] as string;
  if (isDoc(value)) collect(value.get(part), path, at + 1, found);
  if (!Array.isArray(value)) return;
  for (const item of value) if (isDoc(item)) collect(item, path, at, found);
  if (isIndex(part)) collect(value[Number(part)], path, at + 1, found);
}

function visitFrom(doc: Doc, path: readonly string[], from: number, wholeArrays: boolean, visit: Visitor): boolean {
  let value: Value | undefined = doc;
  for (let at = from; at < path.length; at++) {
    if (Array.isArray(value)) return visitElements(value, path, at, wholeArrays, visit);
    if (!isDoc(value)) return visit(undefined);
    value = value.get(path[at] as string);
  }
  return (!wholeArrays && Array.isArray(value) && value.some((item) => visit(item))) || visit(value);
}

/**
 * Walks an array before part `at` of the path: into its documents, and to the element at the
 * position that the part names.
 */
function visitElements(
  items: readonly Value[],
  path: readonly string[],
  at: number,
  wholeArrays: boolean,
  visit: Visitor,
): boolean {
  const part = path[at] as string;
  const last = at === path.length - 1;
  const numbered = isIndex(part) ? Number(part) : -1;
  for (let i = 0; i < items.length; i++) {
    const item = items[i] as Value;
    if (isDoc(item) && visitFrom(item, path, at, wholeArrays, visit)) return true;
    if (i !== numbered) continue;
    if (last) {
      if (visit(item)) return true;
    } else if (Array.isArray(item)) {
      if (visitElements(item, path, at + 1, wholeArrays, visit)) return true;
    } else if (isDoc(item) && visitFrom(item, path, at + 1, wholeArrays, visit)) return true;
  }
  return false;
}
