import type { Cell } from '../expressions/operator.ts';
import { isNullish } from '../expressions/operator.ts';
import { isOperatorDoc } from '../match-fields.ts';
import { type Doc, isDoc, UNDEFINED, type Value } from '../value.ts';

/**
 * What the first `$match` of a pipeline says of the documents it lets through, as a filter for an index: its own conditions, and
 * equality with a variable, `{ $expr: { $eq: ['$room', '$$room'] } }`, as far as the variable's value at the time allows.
 */
export function hintsOf(stages: readonly Value[], cells: Readonly<Record<string, Cell>>): () => Doc | undefined {
  const [first] = stages;
  const filter = isDoc(first) ? first.get('$match') : undefined;
  if (!isDoc(filter)) return () => undefined;
  const plain = new Map([...filter].filter(([name]) => !name.startsWith('$')));
  const equalities = conditionsOf(filter).flatMap((condition) => equalityOf(condition, cells));
  return () => {
    const hint: Doc = new Map(plain);
    for (const { path, cell } of equalities) {
      // Arrays, null and missing compare differently in expressions and in filters.
      if (!isNullish(cell.value) && !Array.isArray(cell.value) && !hint.has(path)) hint.set(path, new Map([['$eq', cell.value]]));
    }
    return hint.size > 0 ? hint : undefined;
  };
}

/** A filter for documents with one of these values at a path; none where a value could not stand in a filter. */
export function hintOfValues(path: string, values: readonly Value[]): Doc | undefined {
  if (values.some((value) => value === UNDEFINED || isOperatorDoc(value))) return undefined;
  return new Map([[path, new Map([['$in', [...values]]])]]);
}

function conditionsOf(filter: Doc): Value[] {
  const condition = filter.get('$expr');
  if (!isDoc(condition)) return [];
  const all = condition.get('$and');
  return Array.isArray(all) ? all : [condition];
}

function equalityOf(condition: Value, cells: Readonly<Record<string, Cell>>): { path: string; cell: Cell }[] {
  const sides = isDoc(condition) ? condition.get('$eq') : undefined;
  if (!Array.isArray(sides)) return [];
  const variable = sides.find((side) => typeof side === 'string' && side.startsWith('$$'));
  const field = sides.find((side) => typeof side === 'string' && side.startsWith('$') && !side.startsWith('$$'));
  const cell = typeof variable === 'string' && Object.hasOwn(cells, variable.slice(2)) ? cells[variable.slice(2)] : undefined;
  return cell === undefined || typeof field !== 'string' ? [] : [{ path: field.slice(1), cell }];
}
