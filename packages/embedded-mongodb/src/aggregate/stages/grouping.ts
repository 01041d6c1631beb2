import { compilerFor } from '../../expressions/expression.ts';
import type { Compiler } from '../../expressions/operator.ts';
import { Summation } from '../../expressions/summation.ts';
import type { Operation } from '../../operation.ts';
import { DatabaseError, notSupported } from '../../values/errors.ts';
import { hashKey } from '../../values/hash-key.ts';
import { sizeOf } from '../../values/size.ts';
import { type Doc, isDoc, isNumber, type Maybe, type Value } from '../../values/value.ts';
import { type Docs, docOf, type StageCompiler } from './stage.ts';

/**
 * `$group` with `$sum`. Groups by the value of an expression; missing counts as null. Groups come
 * in the order of their first documents.
 */
export const group: StageCompiler = (spec, context) => {
  const options = docOf(spec, '$group', 15947);
  if (!options.has('_id')) throw new DatabaseError(15955, 'a group specification must include an _id');
  const compiler = compilerFor(context);
  const idOf = compileId(options.get('_id') as Value, compiler);
  const fields = [...options].filter(([name]) => name !== '_id').map(([name, value]) => sumOf(name, value, compiler));
  return (input) => grouped(input, idOf, fields, context.operation);
};

function* grouped(
  input: Docs,
  idOf: (doc: Doc) => Maybe,
  fields: readonly Sum[],
  operation: Operation | undefined,
): Generator<Doc | undefined> {
  const groups = new Map<string, { id: Value; sums: Summation[] }>();
  for (const doc of input) {
    if (doc === undefined) {
      yield undefined;
      continue;
    }
    const id = idOf(doc) ?? null;
    const key = hashKey(id);
    let found = groups.get(key);
    if (found === undefined) {
      found = { id, sums: fields.map(() => new Summation()) };
      operation?.hold(groupBytes + sizeOf(id) + 2 * key.length + fields.length * sumBytes, '$group');
      groups.set(key, found);
    }
    for (const [i, { addend }] of fields.entries()) {
      const value = addend(doc);
      if (isNumber(value)) found.sums[i]?.add(value);
    }
  }
  for (const { id, sums } of groups.values()) {
    yield new Map<string, Value>([['_id', id], ...fields.map(({ name }, i) => [name, (sums[i] as Summation).total] as const)]);
    if (operation?.isDue()) yield undefined;
  }
}

/** A field of a group, and the expression whose values it sums up. */
type Sum = { readonly name: string; readonly addend: (doc: Doc) => Maybe };

/** Approximate memory that a group takes in addition to its id, in bytes. */
const groupBytes = 200;
const sumBytes = 100;

/**
 * A single-field `_id` that is missing counts as null, but MongoDB omits a missing field from an
 * `_id` of several fields.
 */
function compileId(spec: Value, compiler: Compiler): (doc: Doc) => Maybe {
  const [only, other] = isDoc(spec) ? spec : [];
  if (only === undefined || other !== undefined || only[0].startsWith('$')) return compiler.compile(spec).evaluate;
  const part = compiler.compile(only[1]);
  return (doc) => new Map([[only[0], part.evaluate(doc) ?? null]]);
}

function sumOf(name: string, value: Value, compiler: Compiler): Sum {
  if (name.includes('.')) throw new DatabaseError(40235, `The field name '${name}' cannot contain '.'`);
  if (name.startsWith('$')) throw new DatabaseError(40236, `The field name '${name}' cannot be an operator name`);
  const [[operator, operand] = ['', null], other] = isDoc(value) ? value : [];
  if (!operator.startsWith('$')) throw new DatabaseError(40234, `The field '${name}' must be an accumulator object`);
  if (other !== undefined) throw new DatabaseError(40238, `The field '${name}' must specify one accumulator`);
  if (operator !== '$sum') throw notSupported(`The accumulator ${operator} is not supported`);
  if (Array.isArray(operand)) throw new DatabaseError(40237, 'The $sum accumulator is a unary operator');
  return { name, addend: compiler.compile(operand).evaluate };
}
