import { Double, Int32 } from 'bson';
import { compare } from '../values/compare.ts';
import { DatabaseError, typeMismatch } from '../values/errors.ts';
import { add, integerOf, intOrLong, toNumber } from '../values/numbers.ts';
import { isNullish, isNumber, type Maybe, type NumberValue, typeName } from '../values/value.ts';
import { listOperator, type Operator } from './operator.ts';

const many = Number.POSITIVE_INFINITY;

/** Arithmetic. Integers stay integers; int32 overflows to int64, and int64 to double. */
export const arithmetic: Readonly<Record<string, Operator>> = {
  $add: listOperator(0, many, addAll),
  $max: extreme(1),
  $min: extreme(-1),
};

/**
 * The greatest or least of the arguments, or of the elements of a single array argument. Null and
 * missing values do not count.
 */
function extreme(sign: 1 | -1): Operator {
  return listOperator(0, many, (args) => {
    const [only] = args;
    const values = args.length === 1 && Array.isArray(only) ? only : args;
    const better = (value: Maybe, best: Maybe) => isNullish(best) || sign * compare(value, best) > 0;
    return values.reduce<Maybe>((best, value) => (!isNullish(value) && better(value, best) ? value : best), null);
  });
}

/** Adds the arguments in order. Numbers after a date are rounded to milliseconds. */
function addAll(args: Maybe[]): Maybe {
  let total: NumberValue = new Int32(0);
  let millis: number | undefined;
  for (const arg of args) {
    if (isNullish(arg)) return null;
    if (arg instanceof Date) {
      if (millis !== undefined) throw new DatabaseError(16612, 'only one date allowed in an $add expression');
      millis = arg.getTime() + wholeMillis(total);
    } else if (!isNumber(arg)) throw typeMismatch(`$add only supports numeric or date types, not ${typeName(arg)}`);
    else if (millis === undefined) total = add(total, arg) ?? new Double(toNumber(total) + toNumber(arg));
    else millis += wholeMillis(arg);
  }
  if (millis === undefined) return args.every((arg) => arg instanceof Int32) ? intOrLong(toNumber(total)) : total;
  const date = new Date(millis);
  if (Number.isNaN(date.getTime())) throw new DatabaseError(15, 'date overflow');
  return date;
}

/** MongoDB rounds halves away from zero here, unlike everywhere else. */
function wholeMillis(by: NumberValue): number {
  return integerOf(new Double(Math.sign(toNumber(by)) * Math.round(Math.abs(toNumber(by))))) ?? Number.NaN;
}
