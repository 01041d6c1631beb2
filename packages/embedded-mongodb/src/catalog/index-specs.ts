import { Int32 } from 'bson';
import { compileFilter } from '../match/filter.ts';
import { docArg, required } from '../protocol/args.ts';
import { DatabaseError } from '../values/errors.ts';
import { type Doc, isDoc, isNumber, type Value } from '../values/value.ts';
import { isText, textOptions, textSpec } from './text-specs.ts';

/** Options that change how an index behaves. */
export const indexOptions = ['unique', 'sparse', 'expireAfterSeconds', 'partialFilterExpression', ...textOptions];
/** Options that are accepted and ignored. They only say how to build the index. */
const withoutEffect = ['background', 'ns', 'v'];

/** Validates an index specification and returns it in its stored form. */
export function normalised(value: Value): Doc {
  if (!isDoc(value)) throw new DatabaseError(14, 'The elements of the indexes array must be objects');
  const pattern = required(docArg(value, 'key'), 'createIndexes.indexes.key');
  checkPattern(pattern);
  const spec: Doc = new Map<string, Value>([
    ['v', new Int32(2)],
    ['key', pattern],
    ['name', required(value.get('name'), 'createIndexes.indexes.name')],
  ]);
  if (typeof spec.get('name') !== 'string') throw new DatabaseError(14, "The field 'name' must be a string");
  for (const [option, setting] of value) {
    if (spec.has(option) || withoutEffect.includes(option) || setting === false) continue;
    if (!indexOptions.includes(option))
      throw new DatabaseError(
        197,
        `The field '${option}' is not valid for an index specification. Specification: ${spec.get('name')}`,
      );
    spec.set(option, setting);
  }
  checkOptions(spec, pattern);
  return isText(pattern) ? textSpec(spec, pattern) : spec;
}

function checkPattern(pattern: Doc): void {
  if (pattern.size === 0) throw new DatabaseError(67, 'Index keys cannot be empty.');
  for (const [field, direction] of pattern) {
    if (direction === 'text') continue;
    if (typeof direction === 'string') throw new DatabaseError(67, `Unknown index plugin '${direction}'`);
    if (!isNumber(direction) || Number(direction.toString()) === 0 || Number.isNaN(Number(direction.toString())))
      throw new DatabaseError(67, `Values in v:2 index key pattern must be nonzero numbers or strings: ${field}`);
    if (field === '' || field.split('.').includes('')) throw new DatabaseError(67, 'Index keys cannot contain an empty field.');
    if (field.split('.').some((part) => part.startsWith('$')))
      throw new DatabaseError(67, `Index key contains an illegal field name: field name starts with '$': ${field}`);
  }
}

function checkOptions(spec: Doc, pattern: Doc): void {
  const partial = docArg(spec, 'partialFilterExpression');
  if (partial !== undefined) compileFilter(partial);
  if (partial !== undefined && spec.has('sparse'))
    throw new DatabaseError(67, 'cannot mix "partialFilterExpression" and "sparse" options');
  const expiry = spec.get('expireAfterSeconds');
  if (expiry === undefined) return;
  if (!isNumber(expiry) || Number(expiry.toString()) < 0)
    throw new DatabaseError(
      67,
      "TTL index 'expireAfterSeconds' option must be within an acceptable range, try a number between 0 and 2147483647",
    );
  if (pattern.size > 1 || pattern.has('_id'))
    throw new DatabaseError(67, 'TTL indexes are single-field indexes, compound indexes do not support TTL');
}
