import type { Expression } from '../aggregate/expressions/operator.ts';
import type { Context } from '../context.ts';
import { compileElementMatch } from '../match/filter.ts';
import { DatabaseError } from '../values/errors.ts';
import { isDoc, typeName, type Value } from '../values/value.ts';

/** `{ members: { $elemMatch: ... } }`: of the array the first element that matches. */
export function elementMatch(operand: Value, path: string, context: Context): Expression {
  if (!isDoc(operand))
    throw new DatabaseError(31274, `elemMatch: Invalid argument, object required, but got ${typeName(operand)}`);
  if (path.includes('.')) throw new DatabaseError(31275, 'Cannot use $elemMatch projection on a nested field.');
  const holds = compileElementMatch(operand, context);
  return {
    constant: false,
    evaluate(doc) {
      const value = doc.get(path);
      const found = Array.isArray(value) ? value.find(holds) : undefined;
      return found === undefined ? undefined : [found];
    },
  };
}
