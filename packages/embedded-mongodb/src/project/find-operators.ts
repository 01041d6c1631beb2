import type { Expression } from '../aggregate/expressions/operator.ts';
import type { Context } from '../context.ts';
import { compileFilter, type Filter } from '../match/filter.ts';
import { badValue, DatabaseError } from '../values/errors.ts';
import { type Doc, isDoc, type Maybe, typeName, type Value } from '../values/value.ts';

/** What the projection of a find needs to know. */
export type FindProjection = Context & {
  /** The find's filter. */
  readonly filter?: Filter;
};

/** `{ members: { $elemMatch: ... } }`: of the array the first element that matches. */
export function elementMatch(operand: Value, path: string, context: FindProjection): Expression {
  if (!isDoc(operand))
    throw new DatabaseError(31274, `elemMatch: Invalid argument, object required, but got ${typeName(operand)}`);
  if (path.includes('.')) throw new DatabaseError(31275, 'Cannot use $elemMatch projection on a nested field.');
  const filter = compileFilter(new Map([[path, new Map([['$elemMatch', operand]])]]), context);
  return {
    constant: false,
    evaluate(doc) {
      const index = filter.positionOf(doc);
      return index === undefined ? undefined : [(doc.get(path) as Value[])[index] as Value];
    },
  };
}

/** Reduces the array of `a.$` to the element by which the filter matched. */
export function positional({ filter }: FindProjection, path: string): (result: Doc, doc: Doc) => Doc {
  if (path === '$') throw badValue('a positional projection needs a field');
  const parts = path.slice(0, -2).split('.');
  return (result, doc) => withElement(result, parts, filter?.positionOf(doc)) as Doc;
}

function withElement(value: Maybe, [name, ...rest]: readonly string[], index: number | undefined): Maybe {
  if (Array.isArray(value)) {
    const item = index === undefined ? undefined : value[index];
    if (item !== undefined) return [item];
    throw new DatabaseError(
      index === undefined ? 51246 : 51247,
      "Executor error during find command :: caused by :: positional operator '.$' couldn't find a matching element in the array",
    );
  }
  if (!isDoc(value) || name === undefined) return value;
  const inner = withElement(value.get(name), rest, index);
  return inner === undefined ? value : new Map(value).set(name, inner);
}
