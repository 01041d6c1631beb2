import { Double } from 'bson';
import { DatabaseError, notSupported } from '../values/errors.ts';
import { type Doc, isDoc, isNullish, typeName } from '../values/value.ts';
import { documentBytes, listOperator, type Operator } from './operator.ts';

/** Operators on documents. */
export const objects: Readonly<Record<string, Operator>> = {
  $mergeObjects: listOperator(0, Number.POSITIVE_INFINITY, (args, _, { operation }) => {
    const result: Doc = new Map();
    for (const arg of args) {
      if (isNullish(arg)) continue;
      if (!isDoc(arg))
        throw new DatabaseError(40400, `$mergeObjects requires object inputs, but input is of type ${typeName(arg)}`);
      // An existing field keeps its position and gets the new value.
      for (const [name, value] of arg) result.set(name, value);
    }
    operation?.make(documentBytes(result.size));
    return result;
  }),
  $meta: (operand, { context: { textScore } }) => {
    if (operand !== 'textScore') throw notSupported(`$meta: ${String(operand)} is not supported`);
    if (textScore === undefined) throw new DatabaseError(40218, 'query requires text score metadata, but it is not available');
    return { constant: false, evaluate: (root) => new Double(textScore(root)) };
  },
};
