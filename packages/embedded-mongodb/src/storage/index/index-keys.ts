import { DatabaseError } from '../../values/errors.ts';
import { RawCursor, type RawValue, rawDocument, rawField } from '../../values/raw.ts';
import { bsonType, type Doc } from '../../values/value.ts';
import { emptyArrayKey, KeyWriter } from './key.ts';

/** Whether a collection or an index is gone, for who still reads it; it outlives the objects that stand for them. */
export type Presence = { isOver: boolean };

/** What the catalog stores about an index. */
export type IndexIdentity = {
  readonly id: number;
  readonly spec: Doc;
  /** The fields, as bits, that in some document led through an array. */
  readonly multikey: number;
  /** Of a text index: the last document whose words are in its table; those of later ones wait for it. */
  readonly storedTo: number;
};

/** One field of an index: its path, each part encoded, and its direction. */
export type IndexField = {
  readonly name: string;
  readonly path: readonly Buffer[];
  readonly descending: boolean;
};

/** The keys of one document in one index, and the fields (as bits) that lead through an array. */
export type IndexKeys = {
  readonly keys: Buffer[];
  readonly multikey: number;
};

/** Prepares the pattern of an index, `{ room: 1, seq: -1 }`. */
export function indexFields(pattern: ReadonlyMap<string, unknown>): IndexField[] {
  return [...pattern].map(([name, direction]) => ({
    name,
    path: name.split('.').map((part) => Buffer.from(part)),
    descending: Number(direction) < 0,
  }));
}

/** All distinct keys of a document; none if the index is sparse and the document has no field of it. */
export function indexKeys(fields: readonly IndexField[], document: Buffer, sparse: boolean): IndexKeys {
  const root: Place = { value: rawDocument(document), depth: 0, done: false };
  const walked = fields.map((field) => walk(root, field));
  // Most keys go through no array, and nothing stands beside them that they could be equal to.
  if (walked.every(({ done }) => done)) return { keys: isLeftOut(walked, sparse) ? [] : [keyOf(fields, walked)], multikey: 0 };
  const found: KeySet = { keys: new Map(), multikey: 0, sparse };
  expand(fields, walked, found);
  return { keys: [...found.keys.values()], multikey: found.multikey };
}

/** Where one field of the index stands in the document: `depth` parts of its path are walked. */
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

/** Walks each field up to an array or its end; an array multiplies the keys by its elements. */
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

/** An element of the array is the value itself at the end of the path; on the way, only documents lead on. */
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

/** Stands for the one value of an array without elements. */
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
