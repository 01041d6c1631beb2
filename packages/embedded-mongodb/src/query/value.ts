import { Binary, BSONRegExp, BSONSymbol, Code, Decimal128, Double, Int32, Long, MaxKey, MinKey, ObjectId, Timestamp } from 'bson';

/** BSON's deprecated `undefined`; a field that is not there is JavaScript's `undefined`, so the two never mix. */
export class Undefined {
  readonly type = 'undefined';
}

/** The one value of type Undefined. */
export const UNDEFINED = new Undefined();

/** BSON's deprecated DBPointer (type 12), kept only so that documents holding one survive. */
export class DBPointer {
  readonly namespace: string;
  readonly id: ObjectId;
  constructor(namespace: string, id: ObjectId) {
    this.namespace = namespace;
    this.id = id;
  }
}

/** BSON's deprecated code with scope (type 15). */
export class CodeWithScope {
  readonly code: string;
  readonly scope: Doc;
  constructor(code: string, scope: Doc) {
    this.code = code;
    this.scope = scope;
  }
}

/** A date beyond the ±8.64e15 ms of a JavaScript Date: BSON allows all of int64. */
export class FarDate extends Date {
  readonly millis: bigint;
  constructor(millis: bigint) {
    super(Number.NaN);
    this.millis = millis;
  }
}

/** A number with its BSON type. */
export type NumberValue = Int32 | Double | Long | Decimal128;

/** A single BSON value that is neither document nor array. */
export type Scalar =
  | null
  | boolean
  | string
  | Date
  | NumberValue
  | ObjectId
  | Binary
  | Timestamp
  | BSONRegExp
  | Code
  | CodeWithScope
  | BSONSymbol
  | DBPointer
  | MinKey
  | MaxKey
  | Undefined;

/** A document: a Map keeps the order of all fields, also of `"1"`, and `__proto__` is a name like any other. */
export type Doc = Map<string, Value>;

/** Any BSON value. */
export type Value = Scalar | Value[] | Doc;

/** The type numbers of the BSON specification. */
export const BsonType = {
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
      return BsonType.string;
    case 'boolean':
      return BsonType.bool;
  }
  if (value === null) return BsonType.null;
  switch (value.constructor) {
    case Int32:
      return BsonType.int;
    case Map:
      return BsonType.object;
    case Array:
      return BsonType.array;
    case Date:
    case FarDate:
      return BsonType.date;
    case ObjectId:
      return BsonType.objectId;
    case Double:
      return BsonType.double;
    case Long:
      return BsonType.long;
    case Decimal128:
      return BsonType.decimal;
    case Binary:
      return BsonType.binData;
    case BSONRegExp:
      return BsonType.regex;
    case Timestamp:
      return BsonType.timestamp;
    case MinKey:
      return BsonType.minKey;
    case MaxKey:
      return BsonType.maxKey;
    case Code:
      return BsonType.javascript;
    case CodeWithScope:
      return BsonType.javascriptWithScope;
    case BSONSymbol:
      return BsonType.symbol;
    case DBPointer:
      return BsonType.dbPointer;
    case Undefined:
      return BsonType.undefined;
  }
  throw new TypeError(`not a BSON value: ${String(value)}`);
}

const NAME_OF_TYPE: ReadonlyMap<number, string> = new Map(Object.entries(BsonType).map(([name, number]) => [number, name]));

/** The type's name as `$type` spells it, `missing` for a field that is not there. */
export function typeName(value: Value | undefined): string {
  return value === undefined ? 'missing' : (NAME_OF_TYPE.get(typeNumber(value)) as string);
}

/** Whether a value is a document. */
export function isDoc(value: Value | undefined): value is Doc {
  return value instanceof Map;
}

/** Whether a value is a number of any kind. */
export function isNumber(value: Value | undefined): value is NumberValue {
  if (typeof value !== 'object' || value === null) return false;
  const made = value.constructor;
  return made === Int32 || made === Double || made === Long || made === Decimal128;
}

/** Whether a value is an int32 or int64; a Timestamp is no number, though its class is made from Long's. */
export function isWhole(value: Value | undefined): value is Int32 | Long {
  return value instanceof Int32 || (value instanceof Long && value.constructor === Long);
}

/** The date's milliseconds since 1970, exact over all of int64. */
export function dateMillis(date: Date): number | bigint {
  return date instanceof FarDate ? date.millis : date.getTime();
}

/** A date from any int64 of milliseconds. */
export function dateFromMillis(millis: number | bigint): Date {
  const date = new Date(Number(millis));
  return Number.isNaN(date.getTime()) ? new FarDate(BigInt(millis)) : date;
}

/** A deep copy of documents and arrays; scalars are never changed and so are shared. */
export function clone<T extends Value>(value: T): T;
export function clone(value: Value): Value {
  if (Array.isArray(value)) return value.map((item) => clone(item));
  if (!isDoc(value)) return value;
  const copy: Doc = new Map();
  for (const [name, field] of value) copy.set(name, clone(field));
  return copy;
}
