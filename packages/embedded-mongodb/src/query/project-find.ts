import type { Context } from './context.ts';
import { badValue, DatabaseError } from './errors.ts';
import type { Compiler } from './expressions/operator.ts';
import { compileFilter, type Filter } from './match.ts';
import { toNumber } from './numbers.ts';
import type { ProjectionLeaf } from './project-tree.ts';
import { type Doc, isDoc, isNumber, type NumberValue, typeName, type Value } from './value.ts';

/** What the projection of a find needs to know. */
export interface FindProjection extends Context {
  /** The find's filter. */
  readonly filter?: Filter;
}

type FindOperator = (operand: Value, path: string, context: FindProjection, compiler: Compiler) => ProjectionLeaf | undefined;

/** The operators that only a find's projection has, or that mean something else there. */
export const FIND_OPERATORS: Readonly<Record<string, FindOperator>> = {
  $slice: (operand) => {
    if (isNumber(operand)) {
      const count = wholeOf(operand);
      return { kind: 'change', change: onArray((items) => (count >= 0 ? items.slice(0, count) : items.slice(count))) };
    }
    // Anything but one or two numbers is the aggregation expression of that name.
    if (!Array.isArray(operand) || operand.length !== 2 || !operand.every(isNumber)) return undefined;
    const [skip, limit] = operand.map((part) => wholeOf(part as NumberValue)) as [number, number];
    if (limit <= 0) throw new DatabaseError(31272, `$slice limit must be positive`);
    return {
      kind: 'change',
      change: onArray((items) => {
        const start = skip < 0 ? Math.max(0, items.length + skip) : skip;
        return items.slice(start, start + limit);
      }),
    };
  },
  $elemMatch: (operand, path, context) => {
    if (!isDoc(operand))
      throw new DatabaseError(31274, `elemMatch: Invalid argument, object required, but got ${typeName(operand)}`);
    if (path.includes('.')) throw new DatabaseError(31275, 'Cannot use $elemMatch projection on a nested field.');
    const filter = compileFilter(new Map([[path, new Map([['$elemMatch', operand]])]]), context);
    return {
      kind: 'compute',
      expression: {
        constant: false,
        evaluate(doc) {
          const index = filter.positionOf(doc);
          return index === undefined ? undefined : [(doc.get(path) as Value[])[index] as Value];
        },
      },
    };
  },
  $meta: (operand, _path, _context, compiler) => ({
    kind: 'compute',
    expression: compiler.compile(new Map([['$meta', operand]])),
  }),
};

/** Reduces the array of `a.$` to the element by which the filter matched. */
export function positional(
  { find, finishers }: { find: FindProjection | undefined; finishers: readonly unknown[] },
  path: string,
): (result: Doc, doc: Doc) => Doc {
  if (finishers.length > 0) throw new DatabaseError(31276, 'Cannot specify more than one positional projection per query.');
  if (path === '$') throw badValue('a positional projection needs a field');
  const parts = path.slice(0, -2).split('.');
  const filter = find?.filter;
  return (result, doc) => {
    const index = filter?.positionOf(doc);
    return withElement(result, parts, index) as Doc;
  };
}

function withElement(value: Value | undefined, [name, ...rest]: readonly string[], index: number | undefined): Value | undefined {
  if (Array.isArray(value)) {
    const item = index === undefined ? undefined : value[index];
    if (index !== undefined && item === undefined) {
      throw new DatabaseError(
        51247,
        "Executor error during find command :: caused by :: positional operator '.$' element mismatch",
      );
    }
    if (item === undefined) {
      throw new DatabaseError(
        51246,
        "Executor error during find command :: caused by :: positional operator '.$' couldn't find a matching element in the array",
      );
    }
    return [item];
  }
  if (!isDoc(value) || name === undefined) return value;
  const inner = withElement(value.get(name), rest, index);
  return inner === undefined ? value : new Map(value).set(name, inner);
}

function onArray(change: (items: Value[]) => Value[]): (value: Value) => Value {
  return (value) => (Array.isArray(value) ? change(value) : value);
}

function wholeOf(value: NumberValue): number {
  return Math.trunc(toNumber(value));
}
