import { DatabaseError } from '../../values/errors.ts';
import { RawCursor, type RawValue, rawDocument, rawField } from '../../values/raw.ts';
import { bsonType, type Doc } from '../../values/value.ts';
import { emptyArrayKey, KeyWriter } from './key.ts';

/**
 * Shows readers that a collection or an index was dropped. It outlives the objects that represent
 * them.
 */
export type Presence = { isOver: boolean };

/** The catalog's entry of an index. */
export type IndexIdentity = {
  readonly id: number;
  readonly spec: Doc;
  /** A bit mask of the fields that lead through an array in some document. */
  readonly multikey: number;
  /**
   * For a text index: the last document whose words are in its table. Later documents are pending.
   */
  readonly storedTo: number;
};

/** One field of an index: its path with encoded parts, and its direction. */
export type IndexField = {
  readonly name: string;
  readonly path: readonly Buffer[];
  readonly descending: boolean;
};

/**
 * The keys of one document in one index, and a bit mask of the fields that lead through an array.
 */
export type IndexKeys = {
  readonly keys: Buffer[];
  readonly multikey: number;
};

/** Prepares an index pattern such as `{ room: 1, seq: -1 }`. */
export function indexFields(pattern: ReadonlyMap<string, unknown>): IndexField[] {
  return [...pattern].map(([name, direction]) => ({
    name,
    path: name.split('.').map((part) => Buffer.from(part)),
    descending: Number(direction) < 0,
  }));
}

/**
 * All distinct keys of a document. A sparse index leaves out documents without any of its fields.
 */
export function indexKeys(fields: readonly IndexField[], document: Buffer, sparse: boolean): IndexKeys {
  const root: Place = { value: rawDocument(document), depth: 0, done: false };
  const walked = fields.map((field) => walk(root, field));
  // The common case: no field leads through an array, so there is a single key.
  if (walked.every(({ done }) => done)) return { keys: isLeftOut(walked, sparse) ? [] : [keyOf(fields, walked)], multikey: 0 };
  const found: KeySet = { keys: new Map(), multikey: 0, sparse };
  expand(fields, walked, found);
  return { keys: [...found.keys.values()], multikey: found.multikey };
}

/** The position of an index field in a document: `depth` parts of its path have been walked. */
type Place = {
  readonly value: RawValue | undefined;
  readonly depth: number;
  readonly done: boolean;
};

type KeySet = {
  readonly keys: Map<string, Buffer>;
  readonly sparse: boolean;
  multikey: number;
};

/** Walks each field to its end or to an array. An array multiplies the keys by its elements. */
function expand(fields: readonly IndexField[], places: readonly Place[], found: KeySet): void {
  const walked = places.map((place, i) => walk(place, fields[i] as IndexField));
  const array = walked.find((place) => !place.done && place.value?.type === bsonType.array)?.value;
  if (array === undefined) {
    addKey(fields, walked, found);
    return;
  }
  walked.forEach((place, i) => {
    if (place.done || place.value?.type !== bsonType.array) return;
    if (place.value.start !== array.start) throw parallelArrays(fields, walked);
    found.multikey |= 1 << i;
  });
  const here = (place: Place) => !place.done && place.value?.start === array.start && place.value.type === bsonType.array;
  let empty = true;
  for (const element = new RawCursor(array); element.next(); ) {
    empty = false;
    expand(
      fields,
      walked.map((place, i) => (here(place) ? intoElement(place, fields[i] as IndexField, element) : place)),
      found,
    );
  }
  if (!empty) return;
  const noElement = walked.map((place, i) => {
    if (!here(place)) return place;
    const value = place.depth === (fields[i] as IndexField).path.length ? emptyArray : undefined;
    return { ...place, value, done: true };
  });
  expand(fields, noElement, found);
}

/**
 * Moves from an array to one of its elements. At the end of the path, the element is the value.
 * Before it, only documents can be walked further.
 */
function intoElement(place: Place, field: IndexField, element: RawValue): Place {
  if (place.depth === field.path.length) return { ...place, value: element, done: true };
  if (element.type === bsonType.object) return { ...place, value: element };
  return { ...place, value: undefined, done: true };
}

function walk(place: Place, field: IndexField): Place {
  let { value, depth } = place;
  if (place.done) return place;
  while (depth < field.path.length && value !== undefined) {
    const part = field.path[depth] as Buffer;
    if (value.type === bsonType.object) value = rawField(value, part);
    else if (value.type === bsonType.array && isPosition(part) && rawField(value, part) !== undefined)
      value = rawField(value, part);
    else if (value.type === bsonType.array) return { value, depth, done: false };
    else value = undefined;
    depth++;
  }
  return { value, depth, done: value?.type !== bsonType.array };
}

function isPosition(part: Buffer): boolean {
  return /^(0|[1-9]\d*)$/.test(part.toString('latin1'));
}

/** The value of an empty array. */
const emptyArray: RawValue = { type: bsonType.undefined, bytes: emptyArrayKey, start: 0, end: 0, depth: 0 };

function addKey(fields: readonly IndexField[], places: readonly Place[], found: KeySet): void {
  if (isLeftOut(places, found.sparse)) return;
  const key = keyOf(fields, places);
  found.keys.set(key.toString('latin1'), key);
}

const isLeftOut = (places: readonly Place[], sparse: boolean) => sparse && places.every(({ value }) => value === undefined);

function keyOf(fields: readonly IndexField[], places: readonly Place[]): Buffer {
  const writer = new KeyWriter();
  for (const [i, { descending }] of fields.entries()) {
    const value = places[i]?.value;
    if (descending) writer.descending(value);
    else writer.ascending(value);
  }
  return writer.finish();
}

function parallelArrays(fields: readonly IndexField[], places: readonly Place[]): DatabaseError {
  const names = fields
    .filter((_, i) => !places[i]?.done && places[i]?.value?.type === bsonType.array)
    .map(({ name }) => `[${name}]`);
  return new DatabaseError(171, `cannot index parallel arrays ${names.join(' ')}`);
}
