import { compare, equals } from '../values/compare.ts';
import { badValue, typeMismatch } from '../values/errors.ts';
import { identical } from '../values/identical.ts';
import { add } from '../values/numbers.ts';
import { isNumber, typeName, typeNumber, type Value } from '../values/value.ts';
import { type Modifier, type Run, removed } from './tree.ts';

/** Creates the modifier of one operator at one path. */
export type ModifierMaker = (operand: Value, path: string) => Modifier;

/** Operators that set and compute single values. For arrays see `arrays.ts`. */
export const valueOperators: Readonly<Record<string, ModifierMaker>> = {
  // Returns the old value object if both are bitwise identical, so that the field counts as
  // unchanged.
  $set: (operand) => ({ update: (old) => (identical(old, operand) ? old : operand), create: () => operand }),
  $unset: () => ({ update: () => removed, toleratesBadPath: true }),
  $inc: increment,
  $max: (operand) => ({ update: (old) => (compare(operand, old) > 0 ? operand : old), create: () => operand }),
  $currentDate: currentDate,
};

function increment(operand: Value, path: string): Modifier {
  if (!isNumber(operand)) throw typeMismatch(`Cannot increment with non-numeric argument: {${path}: ${typeName(operand)}}`);
  return {
    update(old, run, where) {
      const field = where.slice(where.lastIndexOf('.') + 1);
      if (!isNumber(old))
        throw typeMismatch(
          `Cannot apply $inc to a value of non-numeric type. {_id: ${idOf(run)}} has the field '${field}' of non-numeric type ${typeName(old)}`,
        );
      const result = add(old, operand);
      if (result === undefined)
        throw badValue(`Failed to apply $inc operations to current value (${old}) for document {_id: ${idOf(run)}}`);
      // MongoDB counts an equal result as unchanged, even if the sign of zero differs.
      return typeNumber(old) === typeNumber(result) && equals(old, result) ? old : result;
    },
    create: () => operand,
  };
}

function currentDate(operand: Value, path: string): Modifier {
  if (typeof operand !== 'boolean')
    throw badValue(`${typeName(operand)} is not a supported type for $currentDate at ${path}. Please use a boolean ('true').`);
  return { update: (_old, run) => run.now, create: (run) => run.now };
}

/** The `_id` of the document, for errors. */
export function idOf(run: Run): string {
  return String(run.original.get('_id'));
}
