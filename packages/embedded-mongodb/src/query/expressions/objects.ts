import { Binary, Double, Int32 } from 'bson';
import { encode } from '../bson.ts';
import { DatabaseError, notSupported } from '../errors.ts';
import { type Doc, isDoc, typeName, type Value } from '../value.ts';
import {
  constantOf,
  folded,
  isNullish,
  listOperator,
  type Maybe,
  namedArguments,
  type Operator,
  unaryOperator,
} from './operator.ts';

const OTHER_METADATA: ReadonlySet<string> = new Set([
  'geoNearDistance',
  'geoNearPoint',
  'indexKey',
  'randVal',
  'recordId',
  'searchHighlights',
  'searchScore',
  'sortKey',
  'vectorSearchScore',
]);

/** Operators on documents. */
export const OBJECTS: Readonly<Record<string, Operator>> = {
  $mergeObjects: listOperator(0, Number.POSITIVE_INFINITY, (args) => {
    const result: Doc = new Map();
    for (const arg of args) mergeInto(result, arg);
    return result;
  }),
  $getField: getField,
  $setField: (operand, compiler, name) => setField(operand, compiler, name, ['field', 'input', 'value']),
  $unsetField: (operand, compiler, name) => setField(operand, compiler, name, ['field', 'input']),
  $bsonSize: unaryOperator((doc) => {
    if (isNullish(doc)) return null;
    if (!isDoc(doc)) throw new DatabaseError(31393, `$bsonSize requires a document input, found: ${typeName(doc)}`);
    return new Int32(encode(doc).length);
  }),
  $binarySize: unaryOperator((value) => {
    if (isNullish(value)) return null;
    if (typeof value === 'string') return new Int32(Buffer.byteLength(value));
    if (value instanceof Binary) return new Int32(value.length());
    throw new DatabaseError(51276, `$binarySize requires a string or BinData argument, found: ${typeName(value)}`);
  }),
  $meta: (operand, compiler) => {
    if (typeof operand !== 'string') throw new DatabaseError(17307, '$meta only supports string arguments');
    if (OTHER_METADATA.has(operand)) throw notSupported(`$meta: ${operand} is not supported`);
    if (operand !== 'textScore') throw new DatabaseError(17308, `Unsupported argument to $meta: ${operand}`);
    const { textScore } = compiler.context;
    if (textScore === undefined) throw new DatabaseError(40218, 'query requires text score metadata, but it is not available');
    return { constant: false, evaluate: (root) => scoreOf(textScore(root)) };
  },
  $function: () => unscripted('$function'),
  $accumulator: () => unscripted('$accumulator'),
};

/** Adds the fields of a document to another, as `$mergeObjects` does: what is there keeps its place and takes the new value. */
export function mergeInto(target: Doc, source: Maybe): void {
  if (isNullish(source)) return;
  if (!isDoc(source))
    throw new DatabaseError(40400, `$mergeObjects requires object inputs, but input is of type ${typeName(source)}`);
  for (const [name, value] of source) target.set(name, value);
}

function scoreOf(score: number | undefined): Maybe {
  return score === undefined ? undefined : new Double(score);
}

function unscripted(name: string): never {
  throw notSupported(`${name} needs server-side JavaScript, which is not supported`);
}

function getField(...[operand, compiler, name]: Parameters<Operator>): ReturnType<Operator> {
  const [first] = isDoc(operand) ? operand.keys() : [];
  const long = isDoc(operand) && !first?.startsWith('$');
  const doc: Doc = long
    ? namedArguments(
        operand,
        ['field', 'input'],
        [],
        { notObject: 3041701, unknown: 3041701, absent: { field: 3041702, input: 3041703 } },
        name,
      )
    : new Map<string, Value>([
        ['field', operand],
        ['input', '$$CURRENT'],
      ]);
  const field = compiler.compile(doc.get('field') as Value);
  const input = compiler.compile(doc.get('input') as Value);
  if (field.constant && typeof field.evaluate(new Map()) !== 'string') {
    throw new DatabaseError(
      5654602,
      `$getField requires 'field' to evaluate to type String, but got ${typeName(field.evaluate(new Map()))}`,
    );
  }
  return folded([field, input], (root) => {
    const key = field.evaluate(root);
    if (typeof key !== 'string')
      throw new DatabaseError(3041704, `$getField requires 'field' to evaluate to type String, but got ${typeName(key)}`);
    const source = input.evaluate(root);
    if (isDoc(source)) return source.get(key);
    return source === undefined || !isNullish(source) ? undefined : null;
  });
}

function setField(
  operand: Value,
  compiler: Parameters<Operator>[1],
  name: string,
  names: readonly string[],
): ReturnType<Operator> {
  const doc = namedArguments(operand, names, [], { notObject: 4161100, unknown: 4161101, absent: 4161102 }, name);
  const field = compiler.compile(doc.get('field') as Value);
  if (!field.constant)
    throw new DatabaseError(4161106, `${name} requires 'field' to evaluate to a constant, but got a non-constant argument`);
  const key = field.evaluate(new Map());
  if (typeof key !== 'string')
    throw new DatabaseError(4161107, `${name} requires 'field' to evaluate to type String, but got ${typeName(key)}`);
  const input = compiler.compile(doc.get('input') as Value);
  const value = doc.has('value') ? compiler.compile(doc.get('value') as Value) : constantOf(undefined);
  return folded([input, value], (root) => {
    const source = input.evaluate(root);
    if (isNullish(source)) return null;
    if (!isDoc(source)) throw new DatabaseError(4161105, `${name} requires 'input' to evaluate to type Object`);
    const result = new Map(source);
    const set = value.evaluate(root);
    if (set === undefined) result.delete(key);
    else result.set(key, set);
    return result;
  });
}
