import { Binary, BSONRegExp, BSONSymbol, type Decimal128, Double, Int32, Long, ObjectId } from 'bson';
import { compareNumbers, type TextOrder } from './compare.ts';
import { toDecimal } from './decimal.ts';
import { CodeWithScope, dateMillis, isDoc, isNumber, type NumberValue, typeNumber, type Value } from './value.ts';

/** A text that two values share just if they are equal to MongoDB, whatever their types of number: for grouping and joining. */
export function hashKey(value: Value, textKey: (text: string) => string = asIs): string {
  if (typeof value === 'string') return keyOfText(textKey(value));
  if (isNumber(value)) return `n${numberKey(value)}`;
  if (value instanceof ObjectId) return `o${value.toHexString()}`;
  if (value === null) return '0';
  if (typeof value === 'boolean') return value ? 't' : 'f';
  if (value instanceof Date) return `d${dateMillis(value)}`;
  if (Array.isArray(value)) return `[${value.map((item) => hashKey(item, textKey)).join()}]`;
  if (isDoc(value)) return `{${Array.from(value, ([name, field]) => keyOfText(name) + hashKey(field, textKey)).join()}}`;
  if (value instanceof Binary) return `b${value.sub_type}:${Buffer.from(value.value()).toString('base64')}`;
  if (value instanceof BSONSymbol) return keyOfText(textKey(value.value));
  if (value instanceof BSONRegExp) return `r${keyOfText(value.pattern)}${value.options}`;
  if (value instanceof CodeWithScope) return `w${keyOfText(value.code)}${hashKey(value.scope)}`;
  return `${typeNumber(value)}:${JSON.stringify(value)}`;
}

/** A `hashKey` for a collation: texts that it takes for the same share a key, which holds for as long as the function is kept. */
export function hasherFor(texts: TextOrder | undefined): (value: Value) => string {
  if (texts === undefined) return hashKey;
  const known = new Map<string, string>();
  const sorted: string[] = [];
  const textKey = (text: string): string => {
    const seen = known.get(text);
    if (seen !== undefined) return seen;
    let low = 0;
    for (let high = sorted.length; low < high; ) {
      const middle = (low + high) >> 1;
      if (texts(sorted[middle] as string, text) < 0) low = middle + 1;
      else high = middle;
    }
    const equal = sorted[low];
    if (equal === undefined || texts(equal, text) !== 0) sorted.splice(low, 0, text);
    const key = sorted[low] as string;
    known.set(text, key);
    return key;
  };
  return (value) => hashKey(value, textKey);
}

function asIs(text: string): string {
  return text;
}

function keyOfText(text: string): string {
  return `s${text.length}:${text}`;
}

function numberKey(value: NumberValue): string {
  if (value instanceof Int32) return String(value.value);
  // All numbers that a double can hold are written as that double, so that the types meet.
  if (value instanceof Double) return String(value.value === 0 ? 0 : value.value);
  const double = Number(value.toString());
  if (compareNumbers(value, new Double(double)) === 0) return String(double === 0 ? 0 : double);
  if (value instanceof Long) return `${value}e0`;
  const decimal = toDecimal(value as Decimal128);
  if (decimal.kind !== 'finite') return String(double);
  let { coefficient, exponent } = decimal;
  while (coefficient % 10n === 0n && exponent !== 0) {
    coefficient /= 10n;
    exponent++;
  }
  return exponent > 0
    ? `${decimal.negative ? -coefficient * 10n ** BigInt(exponent) : coefficient * 10n ** BigInt(exponent)}e0`
    : `${decimal.negative ? '-' : ''}${coefficient}e${exponent}`;
}
