import { compare, equals } from '../values/compare.ts';
import { badValue, typeMismatch } from '../values/errors.ts';
import { identical } from '../values/identical.ts';
import { add } from '../values/numbers.ts';
import { isNumber, typeName, typeNumber, type Value } from '../values/value.ts';
import { type Modifier, type Run, removed } from './tree.ts';

/** Makes the modifier of one operator from its operand at one path. */
export type ModifierMaker = (operand: Value, path: string) => Modifier;

/** The operators that set and compute single values; those on arrays stand in `update-arrays.ts`. */
export const valueOperators: Readonly<Record<string, ModifierMaker>> = {
  // The old value object where the new one is the same to the bit, so that nothing counts as changed.
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
      // Equal is no change to MongoDB: the sign of zero does not count.
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

/** The document that an error speaks of. */
export function idOf(run: Run): string {
  return String(run.original.get('_id'));
}
