import { isOperatorDoc } from '../match/fields.ts';
import { DatabaseError } from '../values/errors.ts';
import { checkId, idFirst } from '../values/identity.ts';
import { type Doc, isDoc, type Value } from '../values/value.ts';
import type { Update } from './update.ts';

/**
 * The document that an upsert starts from: the equalities of the filter. For a replacement, only
 * its `_id`.
 */
function upsertBase(filter: Doc, kind: Update['kind'] = 'operators'): Doc {
  const equalities: [string, Value][] = [];
  collectEqualities(filter, equalities);
  const wanted = kind === 'replacement' ? equalities.filter(([path]) => path === '_id' || path.startsWith('_id.')) : equalities;
  let base: Doc = new Map();
  wanted.forEach(([path, value], i) => {
    for (const [j, [other]] of wanted.entries()) {
      if (i !== j && (path === other || path.startsWith(`${other}.`))) {
        throw new DatabaseError(54, `cannot infer query fields to set, path '${other}' is matched twice`);
      }
    }
    base = withField(base, path.split('.'), value);
  });
  return base;
}

/**
 * The document that an upsert inserts. `newId` provides the `_id` if neither the filter nor the
 * update has one.
 */
export function upsertDocument(filter: Doc, update: Update, newId: () => Value): Doc {
  const { doc } = update.apply(upsertBase(filter, update.kind));
  if (!doc.has('_id')) return new Map([['_id', newId()], ...doc]);
  checkId(doc.get('_id') as Value);
  return idFirst(doc);
}

/**
 * Rejects a filter with `$expr`, even if documents match: no new document could be derived from it.
 */
export function checkUpsertFilter(filter: Doc): void {
  for (const [name, value] of filter) {
    if (name === '$expr')
      throw new DatabaseError(
        224,
        'Use of the $expr operator is not permitted within the query predicate for an upsert operation.',
      );
    if (name.startsWith('$') && Array.isArray(value)) for (const branch of value) if (isDoc(branch)) checkUpsertFilter(branch);
  }
}

function collectEqualities(filter: Doc, equalities: [string, Value][]): void {
  for (const [name, value] of filter) {
    if (Array.isArray(value) && (name === '$and' || (name === '$or' && value.length === 1))) {
      for (const branch of value) if (isDoc(branch)) collectEqualities(branch, equalities);
    } else if (!name.startsWith('$')) {
      for (const operand of equalOperands(value)) equalities.push([name, operand]);
    }
  }
}

/** The values that a field must equal. */
function equalOperands(value: Value): Value[] {
  if (!isOperatorDoc(value)) return [value];
  return [...value].flatMap(([operator, operand]) => {
    if (operator === '$eq') return [operand];
    // MongoDB treats a list of one value like `$eq`.
    return operator === '$in' && Array.isArray(operand) && operand.length === 1 ? operand : [];
  });
}

function withField(doc: Doc, [name = '', ...rest]: readonly string[], value: Value): Doc {
  const inner = doc.get(name);
  return new Map(doc).set(name, rest.length === 0 ? value : withField(isDoc(inner) ? inner : new Map(), rest, value));
}
