import { Decimal128, Double, Int32, type Long } from 'bson';
import type { NumberValue } from './value.ts';

/** A Decimal128 taken apart: `sign * coefficient * 10^exponent`, or one of the values that are no number of that form. */
export type Decimal = FiniteDecimal | { readonly kind: 'infinite'; readonly negative: boolean } | { readonly kind: 'nan' };

/** A decimal that is a number. */
export interface FiniteDecimal {
  readonly kind: 'finite';
  readonly negative: boolean;
  readonly coefficient: bigint;
  readonly exponent: number;
}

const BIAS = 6176;
const MIN_EXPONENT = -6176;
const MAX_EXPONENT = 6111;
const MAX_DIGITS = 34;
const NAN: Decimal = { kind: 'nan' };

/** Takes any number apart, exactly; a double becomes the decimal of 15 digits that MongoDB converts it to, if `rounded`. */
export function toDecimal(value: NumberValue, rounded = true): Decimal {
  if (value instanceof Decimal128) return unpack(value);
  if (value instanceof Int32) return fromBigInt(BigInt(value.value));
  if (value instanceof Double) return rounded ? fromDoubleRounded(value.value) : fromDoubleExact(value.value);
  return fromBigInt((value as Long).toBigInt());
}

/** Builds a finite decimal from a whole number. */
export function fromBigInt(value: bigint): FiniteDecimal {
  return { kind: 'finite', negative: value < 0n, coefficient: value < 0n ? -value : value, exponent: 0 };
}

/** Packs a decimal, rounded half to even to 34 digits. */
export function pack(value: Decimal): Decimal128 {
  if (value.kind === 'nan') return new Decimal128('NaN');
  if (value.kind === 'infinite') return new Decimal128(value.negative ? '-Infinity' : 'Infinity');
  let { coefficient, exponent } = roundToDigits(value.coefficient, value.exponent);
  if (coefficient === 0n) exponent = Math.min(Math.max(exponent, MIN_EXPONENT), MAX_EXPONENT);
  while (exponent > MAX_EXPONENT && digits(coefficient) < MAX_DIGITS) {
    coefficient *= 10n;
    exponent--;
  }
  if (exponent > MAX_EXPONENT) return new Decimal128(value.negative ? '-Infinity' : 'Infinity');
  if (exponent < MIN_EXPONENT) {
    coefficient = divideRound(coefficient, 10n ** BigInt(Math.min(MIN_EXPONENT - exponent, MAX_DIGITS + 2)));
    exponent = MIN_EXPONENT;
  }
  const bits = coefficient | (BigInt(exponent + BIAS) << 113n) | (value.negative ? 1n << 127n : 0n);
  const bytes = Buffer.alloc(16);
  bytes.writeBigUInt64LE(bits & 0xffffffffffffffffn, 0);
  bytes.writeBigUInt64LE(bits >> 64n, 8);
  return new Decimal128(bytes);
}

/** Compares by value, exactly; NaN is below all other numbers and equal to itself. */
export function compareDecimals(a: Decimal, b: Decimal): number {
  if (a.kind === 'nan' || b.kind === 'nan') return Number(b.kind === 'nan') - Number(a.kind === 'nan');
  const signs = signOf(a) - signOf(b);
  if (signs !== 0) return signs;
  const direction = signOf(a);
  if (a.kind === 'infinite' || b.kind === 'infinite') {
    return direction * (Number(a.kind === 'infinite') - Number(b.kind === 'infinite'));
  }
  const magnitudes = digits(a.coefficient) + a.exponent - (digits(b.coefficient) + b.exponent);
  if (magnitudes !== 0 || direction === 0) return direction * magnitudes;
  const common = Math.min(a.exponent, b.exponent);
  const left = a.coefficient * 10n ** BigInt(a.exponent - common);
  const right = b.coefficient * 10n ** BigInt(b.exponent - common);
  return left === right ? 0 : left < right ? -direction : direction;
}

/** The sum. */
export function addDecimals(a: Decimal, b: Decimal): Decimal {
  if (a.kind === 'nan' || b.kind === 'nan') return NAN;
  if (a.kind === 'infinite') return b.kind === 'infinite' && b.negative !== a.negative ? NAN : a;
  if (b.kind === 'infinite') return b;
  // An addend far below the other's last digit changes nothing but the rounding; keep the numbers small all the same.
  const [high, low] = a.exponent >= b.exponent ? [a, b] : [b, a];
  const gap = high.exponent - low.exponent;
  if (
    high.coefficient !== 0n &&
    gap > 4 * MAX_DIGITS &&
    digits(high.coefficient) + gap > digits(low.coefficient) + 2 * MAX_DIGITS
  ) {
    return roundedUpToFull(high, low.coefficient === 0n ? 0n : low.negative === high.negative ? 1n : -1n);
  }
  if (high.coefficient === 0n) {
    if (low.coefficient !== 0n) return low;
    return { kind: 'finite', negative: a.negative && b.negative, coefficient: 0n, exponent: low.exponent };
  }
  const sum = signed(high) * 10n ** BigInt(gap) + signed(low);
  return { kind: 'finite', negative: sum < 0n, coefficient: sum < 0n ? -sum : sum, exponent: low.exponent };
}

/** The product. */
export function multiplyDecimals(a: Decimal, b: Decimal): Decimal {
  if (a.kind === 'nan' || b.kind === 'nan') return NAN;
  const negative = a.negative !== b.negative;
  if (a.kind === 'infinite' || b.kind === 'infinite') {
    const zero = (a.kind === 'finite' && a.coefficient === 0n) || (b.kind === 'finite' && b.coefficient === 0n);
    return zero ? NAN : { kind: 'infinite', negative };
  }
  return { kind: 'finite', negative, coefficient: a.coefficient * b.coefficient, exponent: a.exponent + b.exponent };
}

/** The quotient to 34 digits; the divisor is not zero. */
export function divideDecimals(a: Decimal, b: Decimal): Decimal {
  if (a.kind === 'nan' || b.kind === 'nan') return NAN;
  const negative = a.negative !== b.negative;
  if (a.kind === 'infinite') return b.kind === 'infinite' ? NAN : { kind: 'infinite', negative };
  if (b.kind === 'infinite') return { kind: 'finite', negative, coefficient: 0n, exponent: MIN_EXPONENT };
  const ideal = a.exponent - b.exponent;
  const shift = Math.max(0, MAX_DIGITS + 2 + digits(b.coefficient) - digits(a.coefficient));
  const dividend = a.coefficient * 10n ** BigInt(shift);
  let coefficient = dividend / b.coefficient;
  let exponent = ideal - shift;
  // A remainder is kept as one more digit, so that the later rounding to even does not take it for a tie.
  if (dividend % b.coefficient !== 0n)
    return { kind: 'finite', negative, coefficient: coefficient * 10n + 1n, exponent: exponent - 1 };
  while (exponent < ideal && coefficient % 10n === 0n) {
    coefficient /= 10n;
    exponent++;
  }
  return { kind: 'finite', negative, coefficient, exponent };
}

/** The square root to 34 digits of what is not negative. */
export function rootOfDecimal(value: Decimal): Decimal {
  if (value.kind !== 'finite') return value;
  const even = value.exponent - (((value.exponent % 2) + 2) % 2);
  const scaled = value.coefficient * 10n ** BigInt(value.exponent - even);
  const exact = wholeRoot(scaled);
  if (exact * exact === scaled) return { ...value, coefficient: exact, exponent: even / 2 };
  const shift = Math.max(0, 2 * (MAX_DIGITS + 2) - digits(scaled));
  const places = shift + (shift % 2);
  const root = wholeRoot(scaled * 10n ** BigInt(places));
  // The root goes on for ever, which one more digit tells the rounding.
  return { ...value, coefficient: root * 10n + 1n, exponent: (even - places) / 2 - 1 };
}

/** The value cut towards zero to a whole number, `undefined` for NaN and the infinities. */
export function truncateDecimal(value: Decimal): bigint | undefined {
  if (value.kind !== 'finite') return undefined;
  const { exponent } = value;
  return exponent >= 0 ? signed(value) * 10n ** BigInt(exponent) : signed(value) / 10n ** BigInt(-exponent);
}

/** The nearest double. */
export function decimalToNumber(value: Decimal): number {
  if (value.kind === 'nan') return Number.NaN;
  if (value.kind === 'infinite') return value.negative ? -Infinity : Infinity;
  return Number(`${value.negative ? '-' : ''}${value.coefficient}e${value.exponent}`);
}

/** Whether the value is zero of either sign. */
export function isZero(value: Decimal): boolean {
  return value.kind === 'finite' && value.coefficient === 0n;
}

/** `numerator / denominator` as the nearest whole number, ties to even. */
export function divideRound(numerator: bigint, denominator: bigint): bigint {
  const quotient = numerator / denominator;
  const twice = (numerator % denominator) * 2n;
  return twice > denominator || (twice === denominator && (quotient & 1n) === 1n) ? quotient + 1n : quotient;
}

/** The largest whole number whose square is not above the value, by Newton's method. */
function wholeRoot(value: bigint): bigint {
  if (value < 2n) return value;
  let guess = 1n << BigInt(Math.ceil(value.toString(2).length / 2));
  for (;;) {
    const better = (guess + value / guess) >> 1n;
    if (better >= guess) return guess;
    guess = better;
  }
}

function unpack(value: Decimal128): Decimal {
  const { bytes } = value;
  const view = new DataView(bytes.buffer, bytes.byteOffset, 16);
  const high = view.getBigUint64(8, true);
  const negative = high >> 63n === 1n;
  const combination = Number((high >> 58n) & 0x1fn);
  if (combination === 0x1f) return NAN;
  if (combination === 0x1e) return { kind: 'infinite', negative };
  // The second form of the combination field can only hold coefficients above 34 digits, which count as zero.
  if (combination >= 0x18) return { kind: 'finite', negative, coefficient: 0n, exponent: Number((high >> 47n) & 0x3fffn) - BIAS };
  const coefficient = ((high & 0x1ffffffffffffn) << 64n) | view.getBigUint64(0, true);
  const exponent = Number((high >> 49n) & 0x3fffn) - BIAS;
  return { kind: 'finite', negative, coefficient: digits(coefficient) > MAX_DIGITS ? 0n : coefficient, exponent };
}

function fromDoubleRounded(value: number): Decimal {
  if (!Number.isFinite(value)) return Number.isNaN(value) ? NAN : { kind: 'infinite', negative: value < 0 };
  if (value === 0) return { kind: 'finite', negative: isNegative(value), coefficient: 0n, exponent: 0 };
  const [mantissa = '', power = '0'] = Math.abs(value).toExponential(14).split('e');
  return { kind: 'finite', negative: value < 0, coefficient: BigInt(mantissa.replace('.', '')), exponent: Number(power) - 14 };
}

function fromDoubleExact(value: number): Decimal {
  if (!Number.isFinite(value)) return Number.isNaN(value) ? NAN : { kind: 'infinite', negative: value < 0 };
  let whole = Math.abs(value);
  let halvings = 0;
  while (!Number.isInteger(whole)) {
    whole *= 2;
    halvings++;
  }
  // m / 2^n = m * 5^n / 10^n
  return {
    kind: 'finite',
    negative: isNegative(value),
    coefficient: BigInt(whole) * 5n ** BigInt(halvings),
    exponent: -halvings,
  };
}

function isNegative(value: number): boolean {
  return value < 0 || Object.is(value, -0);
}

function signed(value: { negative: boolean; coefficient: bigint }): bigint {
  return value.negative ? -value.coefficient : value.coefficient;
}

function signOf(value: Decimal): number {
  if (value.kind === 'nan' || isZero(value)) return 0;
  return value.negative ? -1 : 1;
}

function digits(coefficient: bigint): number {
  return coefficient.toString().length;
}

function roundToDigits(coefficient: bigint, exponent: number): { coefficient: bigint; exponent: number } {
  const excess = digits(coefficient) - MAX_DIGITS;
  if (excess <= 0) return { coefficient, exponent };
  return roundToDigits(divideRound(coefficient, 10n ** BigInt(excess)), exponent + excess);
}

function roundedUpToFull(value: { negative: boolean; coefficient: bigint; exponent: number }, nudge: bigint): Decimal {
  const shift = MAX_DIGITS + 2;
  const coefficient = value.coefficient * 10n ** BigInt(shift) + nudge;
  return { kind: 'finite', negative: value.negative, coefficient, exponent: value.exponent - shift };
}
