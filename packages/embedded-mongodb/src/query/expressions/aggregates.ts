import { startOf } from '../accumulators.ts';
import type { Value } from '../value.ts';
import { argumentsOf, folded, type Operator } from './operator.ts';

/** Accumulators that serve as expressions too: over their arguments, or over the elements of a single array. */
export const AGGREGATES: Readonly<Record<string, Operator>> = Object.fromEntries(
  ['$sum', '$avg', '$min', '$max', '$stdDevPop', '$stdDevSamp'].map((name) => [name, aggregate(name)]),
);

function aggregate(operator: string): Operator {
  return (operand, compiler, name) => {
    const args = argumentsOf(operand, 0, Number.POSITIVE_INFINITY, name).map((arg) => compiler.compile(arg));
    const start = startOf(operator, compiler.context.texts);
    return folded(args, (root) => {
      const values = args.map((arg) => arg.evaluate(root));
      const accumulation = (start as NonNullable<typeof start>)();
      const [only] = values;
      for (const value of values.length === 1 && Array.isArray(only) ? (only as Value[]) : values) accumulation.add(value);
      return accumulation.result();
    });
  };
}
