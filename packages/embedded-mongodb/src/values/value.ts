import { Binary, Double, Int32, Long, ObjectId } from 'bson';

/**
 * A value of a BSON type that nothing here computes with: kept byte for byte, and neither compared nor indexed. Also a document
 * that goes into an answer as it is stored.
 */
export class OpaqueValue {
  readonly type: number;
  readonly bytes: Uint8Array;
  constructor(type: number, bytes: Uint8Array) {
    this.type = type;
    this.bytes = bytes;
  }
}

/** A number with its BSON type. */
export type NumberValue = Int32 | Double | Long;

/** A single BSON value that is neither document nor array. */
export type Scalar = null | boolean | string | Date | NumberValue | ObjectId | Binary | OpaqueValue;

/** A document: a Map keeps the order of all fields, also of `"1"`, and `__proto__` is a name like any other. */
export type Doc = Map<string, Value>;

/** Any BSON value. */
export type Value = Scalar | Value[] | Doc;

/** A value, or `undefined` for a missing one. */
export type Maybe = Value | undefined;

/** The type numbers of the BSON specification. */
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

/** The type's name as MongoDB spells it, `missing` for a field that is not there. */
export function typeName(value: Maybe): string {
  return value === undefined ? 'missing' : (nameOfType.get(typeNumber(value)) as string);
}

/** Whether a value is a document. */
export function isDoc(value: Maybe): value is Doc {
  return value instanceof Map;
}

/** Whether a value is a number that can be computed with. */
export function isNumber(value: Maybe): value is NumberValue {
  if (typeof value !== 'object' || value === null) return false;
  const made = value.constructor;
  return made === Int32 || made === Double || made === Long;
}

/** Whether a value is null or missing: most operators answer null to it. */
export function isNullish(value: Maybe): value is undefined | null {
  return value === undefined || value === null;
}
