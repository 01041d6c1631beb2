import { Decimal128 } from 'bson';
import { BsonType } from '../query/value.ts';
import type { RawValue } from './raw.ts';

/**
 * Numbers of all four types in one order, equal bytes for equal numbers: first the double nearest towards zero, then whether
 * that was exact. What no double holds (an int64 over 2^53, most decimals) is followed by all its decimal digits, which order
 * the few numbers that share a double.
 */
export function numberKey(value: RawValue): Buffer {
  const { bytes, start } = value;
  switch (value.type) {
    case BsonType.int:
      return exactKey(bytes.readInt32LE(start));
    case BsonType.double:
      return exactKey(bytes.readDoubleLE(start));
    case BsonType.long: {
      const long = bytes.readBigInt64LE(start);
      const near = Number(long);
      return Number.isSafeInteger(near) ? exactKey(near) : decimalKey(long, 0);
    }
    default:
      return decimal128Key(new Decimal128(Uint8Array.prototype.slice.call(bytes, start, start + 16)).toString());
  }
}

const EXACT = 0x00;
const MORE = 0x01;

function exactKey(number: number): Buffer {
  const key = Buffer.allocUnsafe(9);
  // NaN comes before -Infinity, whose key begins with 0x000f.
  if (Number.isNaN(number)) return key.fill(0);
  key.writeDoubleBE(number === 0 ? 0 : number, 0);
  key[8] = EXACT;
  return number < 0 ? inverted(key) : positive(key);
}

function positive(key: Buffer): Buffer {
  key[0] = (key[0] as number) | 0x80;
  return key;
}

function inverted(key: Buffer): Buffer {
  for (let i = 0; i < key.length; i++) key[i] = ~(key[i] as number);
  return key;
}

const DECIMAL = /^(-?)(\d+)(?:\.(\d+))?(?:E([+-]?\d+))?$/;

function decimal128Key(text: string): Buffer {
  const parts = DECIMAL.exec(text);
  if (parts === null) return exactKey(text.includes('Inf') ? (text.startsWith('-') ? -Infinity : Infinity) : Number.NaN);
  const [, sign, whole = '', fraction = '', exponent = '0'] = parts;
  const coefficient = BigInt(`${sign}${whole}${fraction}`);
  return decimalKey(coefficient, Number(exponent) - fraction.length);
}

/** The key of `coefficient` times ten to the power of `exponent`. */
function decimalKey(coefficient: bigint, exponent: number): Buffer {
  if (coefficient === 0n) return exactKey(0);
  const negative = coefficient < 0n;
  const magnitude = negative ? -coefficient : coefficient;
  let near = Math.min(Number(`${magnitude}e${exponent}`), Number.MAX_VALUE);
  let order = compareToDouble(magnitude, exponent, near);
  if (order < 0) {
    near = nextTowardsZero(near);
    order = 1;
  }
  if (order === 0) return exactKey(negative ? -near : near);
  const digits = magnitude.toString().replace(/0+$/, '');
  const key = Buffer.allocUnsafe(9 + 3 + digits.length);
  key.writeDoubleBE(near, 0);
  key[8] = MORE;
  // The exponent of the first digit: -6176 to 6144 for a decimal128.
  key.writeUInt16BE(magnitude.toString().length + exponent + 0x4000, 9);
  key.write(digits, 11, 'latin1');
  key[key.length - 1] = 0;
  positive(key);
  return negative ? inverted(key) : key;
}

/** Compares `magnitude` times ten to the power of `exponent` with a double that is not negative, exactly. */
function compareToDouble(magnitude: bigint, exponent: number, double: number): number {
  const [mantissa, power] = binaryParts(double);
  let left = magnitude;
  let right = mantissa;
  if (exponent > 0) left *= 10n ** BigInt(exponent);
  else right *= 10n ** BigInt(-exponent);
  if (power > 0) right <<= BigInt(power);
  else left <<= BigInt(-power);
  return left < right ? -1 : left > right ? 1 : 0;
}

/** The whole mantissa and the binary exponent of a double. */
function binaryParts(double: number): [bigint, number] {
  const bits = bitsOf(double);
  const exponent = Number(bits >> 52n);
  const fraction = bits & 0xfffffffffffffn;
  return exponent === 0 ? [fraction, -1074] : [fraction | 0x10000000000000n, exponent - 1075];
}

function nextTowardsZero(double: number): number {
  scratch.setBigUint64(0, bitsOf(double) - 1n);
  return scratch.getFloat64(0);
}

function bitsOf(double: number): bigint {
  scratch.setFloat64(0, double);
  return scratch.getBigUint64(0);
}

const scratch = new DataView(new ArrayBuffer(8));
