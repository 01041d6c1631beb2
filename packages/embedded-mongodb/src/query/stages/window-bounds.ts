import { Int32 } from 'bson';
import { compare } from '../compare.ts';
import { DatabaseError, failedToParse } from '../errors.ts';
import { addUnits, type Unit, unitOf } from '../expressions/date-arithmetic.ts';
import { integerOf } from '../match-operators.ts';
import { add, toNumber } from '../numbers.ts';
import { type Doc, isDoc, isNumber, type NumberValue, type Value } from '../value.ts';
import type { Partition } from './windows.ts';

/** The first index of a document's window and the index behind its last. */
export type Bounds = (partition: Partition, index: number) => readonly [from: number, to: number];

/** Compiles the `window` of an output field; without one it is the whole partition. */
export function compileBounds(window: Value | undefined, sortBy: Doc | undefined): Bounds {
  if (window === undefined) return WHOLE;
  if (!isDoc(window)) throw failedToParse("'window' field must be an object");
  for (const name of window.keys()) {
    if (name !== 'documents' && name !== 'range' && name !== 'unit')
      throw failedToParse(`'window' field can only contain 'documents', 'range' and 'unit', not ${name}`);
  }
  const [documents, range, unit] = ['documents', 'range', 'unit'].map((name) => window.get(name));
  if (documents !== undefined && (range !== undefined || unit !== undefined))
    throw failedToParse("Window bounds can specify either 'documents' or 'unit', not both.");
  if (documents !== undefined) return byDocuments(documents, sortBy);
  if (range !== undefined) return byRange(range, unit, sortBy);
  if (unit !== undefined) throw failedToParse("Window bounds can only specify 'unit' with range-based bounds.");
  return WHOLE;
}

const WHOLE: Bounds = ({ docs }) => [0, docs.length];

function pairOf(value: Value, name: string): [Value, Value] {
  if (!Array.isArray(value) || value.length !== 2) throw failedToParse(`Window bounds must be a 2-element array: ${name}`);
  return value as [Value, Value];
}

function byDocuments(documents: Value, sortBy: Doc | undefined): Bounds {
  const [lower, upper] = pairOf(documents, 'documents').map(documentBound) as [number, number];
  if (lower > upper) throw new DatabaseError(5339900, `Lower bound must not exceed upper bound: [${lower}, ${upper}]`);
  const isWhole = lower === Number.NEGATIVE_INFINITY && upper === Number.POSITIVE_INFINITY;
  if (sortBy === undefined && !isWhole) throw new DatabaseError(5339901, 'Document-based bounds require a sortBy');
  return ({ docs }, i) => {
    const from = Math.min(Math.max(0, i + lower), docs.length);
    return [from, Math.max(from, Math.min(docs.length, i + upper + 1))];
  };
}

/** Documents before or behind the current one. */
function documentBound(bound: Value, index: number): number {
  if (bound === 'current') return 0;
  if (bound === 'unbounded') return index === 0 ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
  const whole = isNumber(bound) ? integerOf(bound) : undefined;
  if (!isNumber(bound)) throw failedToParse("Window bounds must be 'unbounded', 'current', or a number.");
  if (whole === undefined) throw failedToParse('Numeric document-based bounds must be an integer');
  return Number(whole);
}

function byRange(range: Value, unitName: Value | undefined, sortBy: Doc | undefined): Bounds {
  const unit = unitName === undefined ? undefined : unitOf(unitName, '$setWindowFields');
  const [lower, upper] = pairOf(range, 'range').map(rangeBound) as [RangeBound, RangeBound];
  if (isNumber(lower) && isNumber(upper) && compare(lower, upper) > 0) {
    throw new DatabaseError(5339900, `Lower bound must not exceed upper bound: [${lower}, ${upper}]`);
  }
  if (sortBy?.size !== 1) throw new DatabaseError(5339902, 'Range-based bounds require sortBy a single field');
  const [direction] = sortBy.values();
  if (!isNumber(direction) || toNumber(direction) !== 1) throw failedToParse('Range-based bounds require an ascending sortBy');
  return ({ keys }, i) => {
    const key = keys[i]?.[0] as Value;
    const from = lower === 'unbounded' ? 0 : keys.findIndex(([other]) => compare(other, shifted(key, lower, unit)) >= 0);
    if (from < 0) return [keys.length, keys.length];
    const to =
      upper === 'unbounded' ? keys.length : keys.findLastIndex(([other]) => compare(other, shifted(key, upper, unit)) <= 0) + 1;
    return [from, Math.max(from, to)];
  };
}

type RangeBound = 'unbounded' | NumberValue;

/** How far from the current value. */
function rangeBound(bound: Value): RangeBound {
  if (bound === 'unbounded') return bound;
  if (bound === 'current') return new Int32(0);
  if (!isNumber(bound)) throw failedToParse("Window bounds must be 'unbounded', 'current', or a number.");
  return bound;
}

function shifted(key: Value, by: NumberValue, unit: Unit | undefined): Value {
  if (unit === undefined) {
    if (!isNumber(key))
      throw new DatabaseError(5429414, `Invalid range: Expected the sortBy field to be a number, but it was ${String(key)}`);
    return add(key, by) as Value;
  }
  if (!(key instanceof Date))
    throw new DatabaseError(5429513, `Invalid range: Expected the sortBy field to be a Date, but it was ${String(key)}`);
  return new Date(addUnits(key.getTime(), unit, toNumber(by)));
}
