import { Decimal128, Double, Int32, Long } from 'bson';
import { compareNumbers } from '../compare.ts';
import { divideDecimals, isZero, pack, rootOfDecimal, toDecimal } from '../decimal.ts';
import { badValue, DatabaseError, notImplemented, typeMismatch } from '../errors.ts';
import { integerOf } from '../match-operators.ts';
import { add, inLong, intOrLong, multiply, negate, toBigInt, toNumber } from '../numbers.ts';
import { dateFromMillis, dateMillis, isDoc, isNumber, isWhole, type NumberValue, typeName, type Value } from '../value.ts';
import { binaryOperator, isNullish, listOperator, type Maybe, type Operator, unaryOperator } from './operator.ts';
import { rounded } from './rounding.ts';
import { Summation } from './summation.ts';

/** Arithmetic; whole numbers stay whole, int32 gives way to int64 and int64 to double. */
export const ARITHMETIC: Readonly<Record<string, Operator>> = {
  $add: listOperator(0, Number.POSITIVE_INFINITY, addAll),
  $subtract: binaryOperator(subtract),
  $multiply: listOperator(0, Number.POSITIVE_INFINITY, multiplyAll),
  $divide: binaryOperator(divide),
  $mod: binaryOperator(modulo),
  $abs: unaryOperator((value, name) => (isNullish(value) ? null : absolute(numeric(value, name)))),
  $ceil: unaryOperator((value, name) => wholeNumber(value, name, 'up')),
  $floor: unaryOperator((value, name) => wholeNumber(value, name, 'down')),
  $round: listOperator(1, 2, (args, name) => toPlace(args, name, 'even')),
  $trunc: listOperator(1, 2, (args, name) => toPlace(args, name, 'zero')),
  $sqrt: unaryOperator((value, name) => {
    if (isNullish(value)) return null;
    const number = numeric(value, name);
    if (compareNumbers(number, new Int32(0)) < 0 && !Number.isNaN(toNumber(number))) {
      throw new DatabaseError(28714, "$sqrt's argument must be greater than or equal to 0");
    }
    return number instanceof Decimal128 ? pack(rootOfDecimal(toDecimal(number))) : new Double(Math.sqrt(toNumber(number)));
  }),
  $exp: real(Math.exp),
  $ln: real((x) => Math.log(positive(x, 28766, '$ln'))),
  $log10: real((x) => Math.log10(positive(x, 28761, '$log10'))),
  $log: binaryOperator((value, base) => {
    if (isNullish(value) || isNullish(base)) return null;
    const x = toDouble(value, '$log', 28756);
    const b = toDouble(base, '$log', 28757);
    positive(x, 28758, '$log');
    if (b <= 0 || b === 1) throw new DatabaseError(28759, `$log's base must be a positive number not equal to 1, but is ${b}`);
    return new Double(Math.log(x) / Math.log(b));
  }),
  $pow: binaryOperator(power),
  $sin: real((x) => Math.sin(finite(x, '$sin'))),
  $cos: real((x) => Math.cos(finite(x, '$cos'))),
  $tan: real((x) => Math.tan(finite(x, '$tan'))),
  $asin: real((x) => Math.asin(within(x, -1, 1, '$asin'))),
  $acos: real((x) => Math.acos(within(x, -1, 1, '$acos'))),
  $atan: real(Math.atan),
  $atan2: binaryOperator((y, x, name) =>
    isNullish(y) || isNullish(x) ? null : new Double(Math.atan2(toDouble(y, name, 51044), toDouble(x, name, 51045))),
  ),
  $sinh: real(Math.sinh),
  $cosh: real(Math.cosh),
  $tanh: real(Math.tanh),
  $asinh: real(Math.asinh),
  $acosh: real((x) => Math.acosh(within(x, 1, Number.POSITIVE_INFINITY, '$acosh'))),
  $atanh: real((x) => Math.atanh(within(x, -1, 1, '$atanh'))),
  $degreesToRadians: real((x) => (x * Math.PI) / 180),
  $radiansToDegrees: real((x) => (x * 180) / Math.PI),
  $bitAnd: bits((a, b) => a & b, -1n),
  $bitOr: bits((a, b) => a | b, 0n),
  $bitXor: bits((a, b) => a ^ b, 0n),
  $bitNot: unaryOperator((value) => {
    if (isNullish(value)) return null;
    numeric(value, '$bitNot');
    if (!isWhole(value)) throw typeMismatch(`$bitNot only supports int and long, not: ${typeName(value)}.`);
    return value instanceof Int32 ? new Int32(~value.value) : value.not();
  }),
  $isNumber: unaryOperator((value) => isNumber(value)),
  $rand: (operand) => {
    const isEmpty = Array.isArray(operand) ? operand.length === 0 : isDoc(operand) && operand.size === 0;
    if (!isEmpty && !isDoc(operand)) throw new DatabaseError(10065, 'invalid parameter: expected an object ($rand)');
    if (!isEmpty) throw new DatabaseError(3040501, '$rand does not currently accept arguments');
    return { constant: false, evaluate: () => new Double(Math.random()) };
  },
};

/** Int64 that overflows goes on as double. */
function sum(a: NumberValue, b: NumberValue): NumberValue {
  return add(a, b) ?? new Double(toNumber(a) + toNumber(b));
}

function addAll(args: Maybe[]): Maybe {
  const total = new Summation();
  let date: Date | undefined;
  for (const arg of args) {
    if (isNullish(arg)) return null;
    if (arg instanceof Date) {
      if (date !== undefined) throw new DatabaseError(16612, 'only one date allowed in an $add expression');
      date = arg;
    } else if (isNumber(arg)) {
      total.add(arg);
    } else {
      throw typeMismatch(`$add only supports numeric or date types, not ${typeName(arg)}`);
    }
  }
  return date === undefined ? total.total : shifted(date, total.total);
}

function shifted(date: Date, by: NumberValue): Date {
  const millis = wholeMillis(by);
  const result = millis === undefined ? undefined : BigInt(dateMillis(date)) + millis;
  if (result === undefined || inLong(result) === undefined) throw new DatabaseError(15, 'date overflow');
  return dateFromMillis(result);
}

/** Halves are rounded away from zero, unlike everywhere else. */
function wholeMillis(value: NumberValue): bigint | undefined {
  if (isWhole(value)) return toBigInt(value);
  const negative = compareNumbers(value, new Int32(0)) < 0;
  const half = Decimal128.fromString(negative ? '-0.5' : '0.5');
  return integerOf(rounded(add(value, half) as NumberValue, 0, 'zero'));
}

function subtract(a: Maybe, b: Maybe): Maybe {
  if (isNullish(a) || isNullish(b)) return null;
  if (isNumber(a) && isNumber(b)) return sum(a, negate(b));
  if (a instanceof Date && b instanceof Date) return inLong(BigInt(dateMillis(a)) - BigInt(dateMillis(b))) as Long;
  if (a instanceof Date && isNumber(b)) return shifted(a, negate(b));
  throw typeMismatch(`can't $subtract ${typeName(b)} from ${typeName(a)}`);
}

function multiplyAll(args: Maybe[]): Maybe {
  let total: NumberValue = new Int32(1);
  for (const arg of args) {
    if (isNullish(arg)) return null;
    if (!isNumber(arg)) throw typeMismatch(`$multiply only supports numeric types, not ${typeName(arg)}`);
    total = multiply(total, arg) ?? new Double(toNumber(total) * toNumber(arg));
  }
  return total;
}

function divide(a: Maybe, b: Maybe): Maybe {
  if (isNullish(a) || isNullish(b)) return null;
  if (!isNumber(a) || !isNumber(b))
    throw typeMismatch(`$divide only supports numeric types, not ${typeName(a)} and ${typeName(b)}`);
  if (compareNumbers(b, new Int32(0)) === 0) throw badValue("can't $divide by zero");
  if (a instanceof Decimal128 || b instanceof Decimal128) return pack(divideDecimals(toDecimal(a), toDecimal(b)));
  return new Double(toNumber(a) / toNumber(b));
}

function modulo(a: Maybe, b: Maybe): Maybe {
  if (isNullish(a) || isNullish(b)) return null;
  if (!isNumber(a) || !isNumber(b))
    throw new DatabaseError(16611, `$mod only supports numeric types, not ${typeName(a)} and ${typeName(b)}`);
  if (compareNumbers(b, new Int32(0)) === 0) throw new DatabaseError(16610, "can't $mod by zero");
  if (a instanceof Decimal128 || b instanceof Decimal128) return decimalRemainder(a, b);
  if (!isWhole(a) || !isWhole(b)) return new Double(toNumber(a) % toNumber(b));
  const remainder = toBigInt(a) % toBigInt(b);
  return a instanceof Int32 && b instanceof Int32 ? new Int32(Number(remainder)) : Long.fromBigInt(remainder);
}

function decimalRemainder(a: NumberValue, b: NumberValue): Decimal128 {
  const left = toDecimal(a);
  const right = toDecimal(b);
  if (left.kind !== 'finite' || right.kind === 'nan' || isZero(right)) return new Decimal128('NaN');
  if (right.kind === 'infinite') return pack(left);
  const exponent = Math.min(left.exponent, right.exponent);
  const dividend = left.coefficient * 10n ** BigInt(left.exponent - exponent);
  return pack({
    kind: 'finite',
    negative: left.negative,
    coefficient: dividend % (right.coefficient * 10n ** BigInt(right.exponent - exponent)),
    exponent,
  });
}

function absolute(value: NumberValue): NumberValue {
  if (value instanceof Long && value.equals(Long.MIN_VALUE)) throw new DatabaseError(28680, "can't take $abs of long long min");
  if (value instanceof Int32) return intOrLong(Math.abs(value.value));
  if (value instanceof Double) return new Double(Math.abs(value.value));
  return value.toString().startsWith('-') ? negate(value) : value;
}

function wholeNumber(value: Maybe, name: string, towards: 'up' | 'down'): Maybe {
  if (isNullish(value)) return null;
  const number = numeric(value, name);
  return isWhole(number) ? number : rounded(number, 0, towards);
}

function toPlace([value, place]: Maybe[], name: string, how: 'even' | 'zero'): Maybe {
  if (isNullish(value)) return null;
  const number = numeric(value, name, 51081);
  if (place === undefined) return isWhole(number) ? number : rounded(number, 0, how);
  if (isNullish(place)) return null;
  const digits = isNumber(place) ? integerOf(place) : undefined;
  if (digits === undefined) throw new DatabaseError(51082, `precision argument to  ${name} must be a integral value`);
  if (digits < -20n || digits > 100n)
    throw new DatabaseError(51083, `cannot apply ${name} with precision value ${digits} value must be in [-20, 100]`);
  return rounded(number, Number(digits), how);
}

function power(base: Maybe, exponent: Maybe): Maybe {
  if (isNullish(base) || isNullish(exponent)) return null;
  if (!isNumber(base)) throw new DatabaseError(28762, `$pow's base must be numeric, not ${typeName(base)}`);
  if (!isNumber(exponent)) throw new DatabaseError(28763, `$pow's exponent must be numeric, not ${typeName(exponent)}`);
  if (toNumber(base) === 0 && toNumber(exponent) < 0)
    throw new DatabaseError(28764, '$pow cannot take a base of 0 and a negative exponent');
  if (base instanceof Decimal128 || exponent instanceof Decimal128) throw notImplemented('$pow of a decimal is not supported');
  const exact = isWhole(base) && isWhole(exponent) ? wholePower(toBigInt(base), toBigInt(exponent)) : undefined;
  if (exact === undefined) return new Double(toNumber(base) ** toNumber(exponent));
  return base instanceof Int32 && exponent instanceof Int32 ? intOrLong(Number(exact)) : (inLong(exact) as Long);
}

/** An exact power within int64, if it is whole. */
function wholePower(base: bigint, exponent: bigint): bigint | undefined {
  if (exponent < 0n && base !== 1n && base !== -1n) return undefined;
  if (exponent > 63n && (base > 1n || base < -1n)) return undefined;
  const result = exponent < 0n || exponent > 63n ? base ** (exponent & 1n) : base ** exponent;
  return inLong(base === 0n && exponent > 0n ? 0n : result) === undefined
    ? undefined
    : base === 0n && exponent > 0n
      ? 0n
      : result;
}

function bits(combine: (a: bigint, b: bigint) => bigint, start: bigint): Operator {
  return listOperator(0, Number.POSITIVE_INFINITY, (args, name) => {
    let total = start;
    let wide = false;
    for (const arg of args) {
      if (isNullish(arg)) return null;
      if (!isWhole(arg)) throw typeMismatch(`${name} only supports int and long operands.`);
      wide ||= arg instanceof Long;
      total = combine(total, toBigInt(arg));
    }
    return wide ? Long.fromBigInt(total) : new Int32(Number(total));
  });
}

/** A function of real numbers, computed in doubles. */
function real(compute: (x: number) => number): Operator {
  return unaryOperator((value, name) => (isNullish(value) ? null : new Double(compute(toDouble(value, name)))));
}

function toDouble(value: Value, name: string, code = 28765): number {
  const number = numeric(value, name, code);
  // Computed in doubles, a decimal's further digits would be wrong.
  if (number instanceof Decimal128) throw notImplemented(`${name} of a decimal is not supported`);
  return toNumber(number);
}

function numeric(value: Value, name: string, code = 28765): NumberValue {
  if (!isNumber(value)) throw new DatabaseError(code, `${name} only supports numeric types, not ${typeName(value)}`);
  return value;
}

function positive(x: number, code: number, name: string): number {
  if (x <= 0) throw new DatabaseError(code, `${name}'s argument must be a positive number, but is ${x}`);
  return x;
}

function finite(x: number, name: string): number {
  return within(x, -Number.MAX_VALUE, Number.MAX_VALUE, name);
}

function within(x: number, low: number, high: number, name: string): number {
  if (x < low || x > high) throw new DatabaseError(50989, `cannot apply ${name} to ${x}, value must be in [${low},${high}]`);
  return x;
}
