import { Int32 } from 'bson';
import fc from 'fast-check';
import { describe, it } from 'vitest';
import { indexFields, indexKeys } from '../src/storage/index/index-keys.ts';
import { invertKey, typeByte, valueKey } from '../src/storage/index/key.ts';
import { encode } from '../src/values/bson.ts';
import { compare } from '../src/values/compare.ts';
import { asBuffer } from '../src/values/raw.ts';
import { typeNumber, type Value } from '../src/values/value.ts';
import { allValues, runs } from './support/all-values.ts';

const hour = 3_600_000;
const parameters = { numRuns: runs(3000) };

describe('the keys of an index', () => {
  it('keys of an index have the order of the values, upwards and downwards', { timeout: hour }, () => {
    fc.assert(
      fc.property(fc.array(allValues, { minLength: 2, maxLength: 4 }), (values) => {
        for (const [a, b] of pairs(values)) {
          const order = Math.sign(compare(a, b));
          const [left, right] = [valueKey(a), valueKey(b)];
          same(Math.sign(Buffer.compare(left, right)), order, 'upwards');
          same(Math.sign(Buffer.compare(invertKey(right), invertKey(left))), order, 'downwards');
        }
      }),
      parameters,
    );
  });

  it('keys of several fields have the order of the first field that differs', { timeout: hour }, () => {
    // Two fields are often equal, so that the next one decides.
    const rows = fc
      .tuple(allValues, allValues)
      .chain(([a, b]) =>
        fc.array(fc.tuple(fc.constantFrom(a, b), allValues, fc.constantFrom(a, b)), { minLength: 2, maxLength: 3 }),
      );
    const directions = fc.tuple(fc.constantFrom(1, -1), fc.constantFrom(1, -1), fc.constantFrom(1, -1));
    fc.assert(
      fc.property(rows, directions, (rows, directions) => {
        const fields = indexFields(new Map(['a', 'b', 'c'].map((name, i) => [name, directions[i]])));
        for (const [left, right] of pairs(rows.map((row) => row.map(withoutArray)))) {
          const order = directions.map((direction, i) => compare(left[i], right[i]) * direction).find((sign) => sign !== 0) ?? 0;
          const [a, b] = [left, right].map((row) => keyOf(fields, row));
          same(Math.sign(Buffer.compare(a as Buffer, b as Buffer)), Math.sign(order), 'together');
        }
      }),
      parameters,
    );
  });

  it('no key is a prefix of another one, so that the keys that begin with it are those of equal values', {
    timeout: hour,
  }, () => {
    const couples = fc.oneof(
      fc.tuple(allValues, allValues),
      fc.tuple(fc.string(), fc.string()).map(([a, b]): [Value, Value] => [a, a + b]),
    );
    fc.assert(
      fc.property(couples, ([a, b]) => {
        const [key, other] = [valueKey(a), valueKey(b)];
        same(Number(other.subarray(0, key.length).equals(key)), Number(compare(a, b) === 0), 'beginning');
      }),
      parameters,
    );
  });

  it('keys begin with a byte for the type, so that a range can cover one type', { timeout: hour }, () => {
    fc.assert(
      fc.property(allValues, (value) => {
        same(valueKey(value)[0] as number, typeByte(typeNumber(value)), 'first byte');
      }),
      parameters,
    );
  });
});

/** Wraps an array in a document, because an index would create a key for each of its elements. */
function withoutArray(value: Value): Value {
  return Array.isArray(value) ? new Map([['list', value]]) : value;
}

function keyOf(fields: ReturnType<typeof indexFields>, [a, b, c]: readonly Value[]): Buffer {
  const document = new Map<string, Value>([
    ['_id', new Int32(1)],
    ['a', a as Value],
    ['b', b as Value],
    ['c', c as Value],
  ]);
  const { keys } = indexKeys(fields, asBuffer(encode(document)), false);
  same(keys.length, 1, 'number of keys');
  return keys[0] as Buffer;
}

function pairs<T>(items: readonly T[]): [T, T][] {
  return items.flatMap((a, i) => items.slice(i + 1).map((b): [T, T] => [a, b]));
}

function same(actual: number, expected: number, what: string): void {
  if (actual !== expected) throw new Error(`${what}: ${actual} instead of ${expected}`);
}
