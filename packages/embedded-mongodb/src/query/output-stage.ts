import { DatabaseError, failedToParse, typeMismatch } from './errors.ts';
import { type Doc, isDoc, typeName, type Value } from './value.ts';

/** Where a pipeline's documents go instead of to the client. */
export type Output =
  | { readonly kind: 'out'; readonly db: string | undefined; readonly collection: string }
  | {
      readonly kind: 'merge';
      readonly db: string | undefined;
      readonly collection: string;
      /** The fields by which documents are the same; `undefined`: `_id`. */
      readonly on: readonly string[] | undefined;
      readonly variables: Doc | undefined;
      readonly whenMatched: 'replace' | 'keepExisting' | 'merge' | 'fail' | readonly Value[];
      readonly whenNotMatched: 'insert' | 'discard' | 'fail';
    };

/** Takes a `$out` or `$merge` off the end of a pipeline. */
export function splitOutput(stages: readonly Value[]): { stages: readonly Value[]; output: Output | undefined } {
  const last = stages.at(-1);
  if (!isDoc(last) || last.size !== 1) return { stages, output: undefined };
  const out = last.get('$out');
  const merge = last.get('$merge');
  if (out === undefined && merge === undefined) return { stages, output: undefined };
  return { stages: stages.slice(0, -1), output: out === undefined ? mergeOf(merge as Value) : outOf(out) };
}

function outOf(spec: Value): Output {
  if (typeof spec === 'string') return { kind: 'out', db: undefined, collection: spec };
  if (!isDoc(spec)) throw new DatabaseError(16990, `$out only supports a string or object argument, but found ${typeName(spec)}`);
  for (const name of spec.keys())
    if (name !== 'db' && name !== 'coll') throw new DatabaseError(40415, `BSON field '$out.${name}' is an unknown field.`);
  const [db, collection] = [spec.get('db'), spec.get('coll')];
  if (typeof db !== 'string') throw new DatabaseError(40414, "BSON field '$out.db' is missing but a required field");
  if (typeof collection !== 'string') throw new DatabaseError(40414, "BSON field '$out.coll' is missing but a required field");
  return { kind: 'out', db, collection };
}

const MERGE_NAMES = ['into', 'on', 'let', 'whenMatched', 'whenNotMatched'];

function mergeOf(spec: Value): Output {
  const options: Doc | undefined = typeof spec === 'string' ? new Map([['into', spec]]) : isDoc(spec) ? spec : undefined;
  if (options === undefined)
    throw new DatabaseError(51182, `$merge only supports a string or object argument, not ${typeName(spec)}`);
  for (const name of options.keys())
    if (!MERGE_NAMES.includes(name)) throw new DatabaseError(40415, `BSON field '$merge.${name}' is an unknown field.`);
  const into = options.get('into');
  if (into === undefined) throw new DatabaseError(40414, "BSON field '$merge.into' is missing but a required field");
  const [db, collection] = isDoc(into) ? [into.get('db'), into.get('coll')] : [undefined, into];
  if (typeof collection !== 'string' || (db !== undefined && typeof db !== 'string'))
    throw new DatabaseError(51178, "$merge 'into' field must specify a collection");
  const variables = options.get('let');
  if (variables !== undefined && !isDoc(variables))
    throw typeMismatch("BSON field '$merge.let' is the wrong type, expected type 'object'");
  const whenMatched = modeOf(
    options.get('whenMatched') ?? 'merge',
    ['replace', 'keepExisting', 'merge', 'fail'] as const,
    'whenMatched',
  );
  if (variables !== undefined && typeof whenMatched === 'string')
    throw new DatabaseError(51199, "Cannot use 'let' variables with 'whenMatched' unless it is a pipeline");
  const whenNotMatched = modeOf(
    options.get('whenNotMatched') ?? 'insert',
    ['insert', 'discard', 'fail'] as const,
    'whenNotMatched',
  );
  if (typeof whenNotMatched !== 'string') throw typeMismatch("$merge 'whenNotMatched' must be a string");
  return { kind: 'merge', db, collection, on: onOf(options.get('on')), variables, whenMatched, whenNotMatched };
}

function modeOf<Mode extends string>(value: Value, modes: readonly Mode[], name: string): Mode | readonly Value[] {
  if (Array.isArray(value) && name === 'whenMatched') return value;
  const mode = modes.find((known) => known === value);
  if (mode === undefined)
    throw failedToParse(`Enumeration value '${String(value)}' for field '$merge.${name}' is not a valid value.`);
  return mode;
}

function onOf(value: Value | undefined): string[] | undefined {
  if (value === undefined) return undefined;
  const fields = Array.isArray(value) ? value : [value];
  if (fields.length === 0)
    throw new DatabaseError(51187, 'If explicitly specifying $merge "on", must include at least one field');
  if (!fields.every((field) => typeof field === 'string'))
    throw new DatabaseError(51134, `$merge 'on' array elements must be strings`);
  if (new Set(fields).size < fields.length) throw new DatabaseError(31465, 'Found a duplicate field in $merge on');
  return fields;
}
