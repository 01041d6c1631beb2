import type { RawValue } from '../../values/raw.ts';
import { bsonType } from '../../values/value.ts';

/**
 * Orders numbers of all types; equal numbers have equal bytes. The key is the nearest double
 * towards zero, then a byte that says if it is exact. An int64 over 2^53 that no double can
 * represent is followed by its decimal digits, which order the numbers that share a double.
 */
export function numberKey({ type, bytes, start }: RawValue): Buffer {
  if (type === bsonType.int) return exactKey(bytes.readInt32LE(start));
  if (type === bsonType.double) return exactKey(bytes.readDoubleLE(start));
  const long = bytes.readBigInt64LE(start);
  const near = Number(long);
  return Number.isSafeInteger(near) ? exactKey(near) : longKey(long);
}

const exact = 0x00;
const more = 0x01;

function exactKey(number: number): Buffer {
  const key = Buffer.allocUnsafe(9);
  // NaN sorts before -Infinity, whose key begins with 0x000f.
  if (Number.isNaN(number)) return key.fill(0);
  key.writeDoubleBE(number === 0 ? 0 : number, 0);
  key[8] = exact;
  return number < 0 ? inverted(key) : positive(key);
}

function longKey(long: bigint): Buffer {
  const magnitude = long < 0n ? -long : long;
  const rounded = Number(magnitude);
  const near = BigInt(rounded) > magnitude ? nextTowardsZero(rounded) : rounded;
  if (BigInt(near) === magnitude) return exactKey(long < 0n ? -near : near);
  const digits = magnitude.toString();
  const significant = digits.replace(/0+$/, '');
  const key = Buffer.allocUnsafe(9 + 3 + significant.length);
  key.writeDoubleBE(near, 0);
  key[8] = more;
  // For a number with a fraction, this would be the exponent of its first digit.
  key.writeUInt16BE(digits.length + 0x4000, 9);
  key.write(significant, 11, 'latin1');
  key[key.length - 1] = 0;
  positive(key);
  return long < 0n ? inverted(key) : key;
}

function nextTowardsZero(double: number): number {
  scratch.setFloat64(0, double);
  scratch.setBigUint64(0, scratch.getBigUint64(0) - 1n);
  return scratch.getFloat64(0);
}

const scratch = new DataView(new ArrayBuffer(8));

function positive(key: Buffer): Buffer {
  key[0] = (key[0] as number) | 0x80;
  return key;
}

function inverted(key: Buffer): Buffer {
  for (let i = 0; i < key.length; i++) key[i] = ~(key[i] as number);
  return key;
}
