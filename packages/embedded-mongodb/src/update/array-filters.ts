import type { Context } from '../context.ts';
import { compileFilter, type Filter } from '../match/filter.ts';
import { badValue, failedToParse, typeMismatch } from '../values/errors.ts';
import { type Doc, isDoc, typeName, type Value } from '../values/value.ts';
import { identifierOf } from './tree.ts';

/**
 * Compiles array filters by identifier. Checks that the update paths use exactly these identifiers.
 */
export function compileArrayFilters(
  arrayFilters: readonly Value[],
  paths: readonly string[],
  context: Context,
): Map<string, Filter> {
  const filters = new Map<string, Filter>();
  if (arrayFilters.length === 0 && !paths.some((path) => path.includes('$['))) return filters;
  const used = new Set(paths.flatMap((path) => path.split('.').map(identifierOf)));
  for (const filter of arrayFilters) {
    if (!isDoc(filter)) throw typeMismatch(`array filters must be objects, not '${typeName(filter)}'`);
    const identifier = identifierOfFilter(filter);
    if (filters.has(identifier))
      throw failedToParse(`Found multiple array filters with the same top-level field name ${identifier}`);
    filters.set(identifier, compileFilter(filter, context));
    if (!used.has(identifier)) throw failedToParse(`The array filter for identifier '${identifier}' was not used in the update`);
  }
  for (const identifier of used) {
    if (identifier && !filters.has(identifier)) throw badValue(`No array filter found for identifier '${identifier}'`);
  }
  return filters;
}

/** The only field name of an array filter, also inside `$and` and the like. */
function identifierOfFilter(filter: Doc): string {
  const names = new Set(topLevelNames(filter));
  const [name, other] = names;
  if (name === undefined) throw failedToParse('Cannot use an expression without a top-level field name in arrayFilters');
  if (other !== undefined)
    throw failedToParse(
      `Error parsing array filter :: caused by :: Expected a single top-level field name, found '${name}' and '${other}'`,
    );
  if (!/^[a-z][a-zA-Z0-9]*$/.test(name)) {
    throw badValue(
      `Error parsing array filter :: caused by :: The top-level field name must be an alphanumeric string beginning with a lowercase letter, found '${name}'`,
    );
  }
  return name;
}

function topLevelNames(filter: Doc): string[] {
  return [...filter].flatMap(([name, value]) => {
    if (!name.startsWith('$')) return [name.split('.')[0] as string];
    return Array.isArray(value) ? value.filter(isDoc).flatMap(topLevelNames) : [];
  });
}
