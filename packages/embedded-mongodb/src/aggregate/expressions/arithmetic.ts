import { Double } from 'bson';
import { compare } from '../../values/compare.ts';
import { DatabaseError, typeMismatch } from '../../values/errors.ts';
import { integerOf, toNumber } from '../../values/numbers.ts';
import { isNullish, isNumber, type Maybe, type NumberValue, typeName } from '../../values/value.ts';
import { listOperator, type Operator } from './operator.ts';
import { Summation } from './summation.ts';

const many = Number.POSITIVE_INFINITY;

/** Arithmetic; whole numbers stay whole, int32 gives way to int64 and int64 to double. */
export const arithmetic: Readonly<Record<string, Operator>> = {
  $add: listOperator(0, many, addAll),
  $max: listOperator(0, many, (args) => {
    const [only] = args;
    const values = args.length === 1 && Array.isArray(only) ? only : args;
    return values.reduce<Maybe>((best, value) => (!isNullish(value) && compare(value, best) > 0 ? value : best), null);
  }),
};

function addAll(args: Maybe[]): Maybe {
  const total = new Summation();
  let date: Date | undefined;
  for (const arg of args) {
    if (isNullish(arg)) return null;
    if (arg instanceof Date) {
      if (date !== undefined) throw new DatabaseError(16612, 'only one date allowed in an $add expression');
      date = arg;
    } else if (isNumber(arg)) total.add(arg);
    else throw typeMismatch(`$add only supports numeric or date types, not ${typeName(arg)}`);
  }
  return date === undefined ? total.total : shifted(date, total.total);
}

/** A date some milliseconds later; halves of them are rounded away from zero, unlike everywhere else. */
function shifted(date: Date, by: NumberValue): Date {
  const millis = integerOf(new Double(Math.sign(toNumber(by)) * Math.round(Math.abs(toNumber(by)))));
  const result = new Date(date.getTime() + (millis ?? Number.NaN));
  if (Number.isNaN(result.getTime())) throw new DatabaseError(15, 'date overflow');
  return result;
}
