import { Binary, Double, Int32, Long, ObjectId } from 'bson';

/**
 * A value of a type that is stored unchanged, but neither compared nor indexed. Also a stored
 * document inside a reply.
 */
export class OpaqueValue {
  readonly type: number;
  readonly bytes: Uint8Array;
  constructor(type: number, bytes: Uint8Array) {
    this.type = type;
    this.bytes = bytes;
  }
}

/** A number with its BSON type. Decimal128 is an `OpaqueValue`. */
export type NumberValue = Int32 | Double | Long;

/** A BSON value except a document or an array. */
export type Scalar = null | boolean | string | Date | NumberValue | ObjectId | Binary | OpaqueValue;

/**
 * A document. A Map keeps the order of all fields, even of `"1"`, and treats `__proto__` like any
 * other name.
 */
export type Doc = Map<string, Value>;

/** Any BSON value. */
export type Value = Scalar | Value[] | Doc;

/** A value; `undefined` if it is missing. */
export type Maybe = Value | undefined;

/** Type numbers of the BSON specification. https://bsonspec.org/spec.html */
export const bsonType = {
  double: 1,
  string: 2,
  object: 3,
  array: 4,
  binData: 5,
  undefined: 6,
  objectId: 7,
  bool: 8,
  date: 9,
  null: 10,
  regex: 11,
  dbPointer: 12,
  javascript: 13,
  symbol: 14,
  javascriptWithScope: 15,
  int: 16,
  timestamp: 17,
  long: 18,
  decimal: 19,
  minKey: -1,
  maxKey: 127,
} as const;

/** The BSON type number of a value. */
export function typeNumber(value: Value): number {
  switch (typeof value) {
    case 'string':
      return bsonType.string;
    case 'boolean':
      return bsonType.bool;
  }
  if (value === null) return bsonType.null;
  switch (value.constructor) {
    case Int32:
      return bsonType.int;
    case Map:
      return bsonType.object;
    case Array:
      return bsonType.array;
    case Date:
      return bsonType.date;
    case ObjectId:
      return bsonType.objectId;
    case Double:
      return bsonType.double;
    case Long:
      return bsonType.long;
    case Binary:
      return bsonType.binData;
    case OpaqueValue:
      return (value as OpaqueValue).type;
  }
  throw new TypeError(`not a BSON value: ${String(value)}`);
}

const nameOfType: ReadonlyMap<number, string> = new Map(Object.entries(bsonType).map(([name, number]) => [number, name]));

/** MongoDB's name of a value's type; `missing` for a missing value. */
export function typeName(value: Maybe): string {
  return value === undefined ? 'missing' : (nameOfType.get(typeNumber(value)) as string);
}

export function isDoc(value: Maybe): value is Doc {
  return value instanceof Map;
}

/** True for numbers of the supported types. */
export function isNumber(value: Maybe): value is NumberValue {
  if (typeof value !== 'object' || value === null) return false;
  const made = value.constructor;
  return made === Int32 || made === Double || made === Long;
}

/** True for null and missing. Most operators return null for them. */
export function isNullish(value: Maybe): value is undefined | null {
  return value === undefined || value === null;
}
