import { BSONRegExp } from 'bson';
import type { TextOrder } from './compare.ts';
import { badValue, DatabaseError, notSupported } from './errors.ts';
import {
  type BitTest,
  bitTest,
  type Comparison,
  comparison,
  membership,
  modulo,
  type Predicate,
  regex,
  sizeTest,
  typeTest,
} from './match-operators.ts';
import { arrayAsDoc } from './path.ts';
import { isTrue } from './truth.ts';
import { type Doc, isDoc, UNDEFINED, type Value } from './value.ts';

/** Where `$elemMatch` notes the index of the element that matched. */
export interface Position {
  index: number | undefined;
}

/** A test of what a path leads to. */
export type FieldTest =
  | {
      readonly kind: 'leaf';
      readonly rank: number;
      /** An array is shown as it is and not by its elements. */
      readonly wholeArrays: boolean;
      readonly test: (value: Value | undefined, position: Position | undefined) => boolean;
    }
  | { readonly kind: 'all'; readonly tests: readonly FieldTest[] }
  | { readonly kind: 'not'; readonly test: FieldTest };

/** What the operators of a field need from around them. */
export interface FieldContext {
  readonly texts?: TextOrder | undefined;
  /** Compiles the filter inside `$elemMatch`. */
  readonly subfilter: (filter: Doc) => (doc: Doc) => boolean;
}

const DBREF_FIELDS: ReadonlySet<string> = new Set(['$ref', '$id', '$db']);

/** MongoDB's order of the kinds of tests in a conjunction. */
const RANKS = [
  '$elemMatch',
  '$size',
  '$eq',
  '$lte',
  '$lt',
  '$gt',
  '$gte',
  '$regex',
  '$mod',
  '$exists',
  '$in',
  '$bits',
  '$not',
  '$type',
];

/** Whether a value is a document of operators, such as `{ $gt: 1 }`; a DBRef is not. */
export function isOperatorDoc(value: Value | undefined): value is Doc {
  if (!isDoc(value)) return false;
  const [first] = value.keys();
  return first?.startsWith('$') === true && !DBREF_FIELDS.has(first);
}

/** What a filter says about one field: operators, or a value to be equal to. */
export function testsOfField(value: Value, context: FieldContext): FieldTest[] {
  return isOperatorDoc(value) ? fieldTests(value, context) : [equalTo(value, context)];
}

/** The place of a test in MongoDB's order of a conjunction. */
export function rankOf(test: FieldTest): number {
  if (test.kind === 'leaf') return test.rank;
  return test.kind === 'not' ? RANKS.indexOf('$not') : Math.max(...test.tests.map(rankOf));
}

/** Applies a test to a single value, whose own elements are not looked at. */
export function testValue(test: FieldTest, value: Value | undefined, position: Position | undefined): boolean {
  if (test.kind === 'leaf') return test.test(value, position);
  if (test.kind === 'not') return !testValue(test.test, value, undefined);
  return test.tests.every((part) => testValue(part, value, position));
}

function leaf(operator: string, test: Predicate, wholeArrays = false): FieldTest {
  return { kind: 'leaf', rank: RANKS.indexOf(operator), wholeArrays, test };
}

function all(tests: readonly FieldTest[]): FieldTest {
  return { kind: 'all', tests };
}

function not(test: FieldTest): FieldTest {
  return { kind: 'not', test };
}

function equalTo(value: Value, context: FieldContext): FieldTest {
  if (value === UNDEFINED) throw badValue('cannot compare to undefined');
  return value instanceof BSONRegExp ? leaf('$regex', regex(value)) : leaf('$eq', comparison('$eq', value, context.texts));
}

function fieldTests(operators: Doc, context: FieldContext): FieldTest[] {
  return [...operators].flatMap(([name, operand]) => fieldTest(name, operand, operators, context));
}

function fieldTest(name: string, operand: Value, operators: Doc, context: FieldContext): FieldTest[] {
  switch (name) {
    case '$eq':
    case '$lt':
    case '$lte':
    case '$gt':
    case '$gte':
      return [compareWith(name, operand, context)];
    case '$ne':
      if (operand instanceof BSONRegExp) throw badValue("Can't have regex as arg to $ne.");
      return [not(compareWith('$eq', operand, context))];
    case '$in':
      return [leaf('$in', membership(listOf(name, operand), context.texts))];
    case '$nin':
      return [not(leaf('$in', membership(listOf(name, operand), context.texts)))];
    case '$not':
      return [not(negated(operand, context))];
    case '$exists': {
      const exists = leaf('$exists', (value) => value !== undefined);
      return [isTrue(operand) ? exists : not(exists)];
    }
    case '$type':
      return [leaf('$type', typeTest(operand))];
    case '$regex':
      return [leaf('$regex', regex(regexOf(operand, operators.get('$options'))))];
    case '$options':
      if (!operators.has('$regex')) throw badValue('$options needs a $regex');
      return [];
    case '$mod':
      return [leaf('$mod', modulo(operand))];
    case '$size':
      return [leaf('$size', sizeTest(operand), true)];
    case '$bitsAllSet':
    case '$bitsAllClear':
    case '$bitsAnySet':
    case '$bitsAnyClear':
      return [leaf('$bits', bitTest(name satisfies BitTest, operand))];
    case '$all':
      return allOf(operand, context);
    case '$elemMatch':
      return [elementMatch(operand, context)];
    case '$comment':
      return [];
    case '$geoWithin':
    case '$within':
    case '$geoIntersects':
    case '$near':
    case '$nearSphere':
      throw notSupported(`${name} is not supported`);
  }
  throw badValue(`unknown operator: ${name}`);
}

function compareWith(operator: Comparison, operand: Value, context: FieldContext): FieldTest {
  if (operand === UNDEFINED) throw badValue('cannot compare to undefined');
  if (operand instanceof BSONRegExp && operator !== '$eq') throw badValue("Can't have RegEx as arg to predicate over a field.");
  return leaf(operator, comparison(operator, operand, context.texts));
}

function listOf(operator: string, operand: Value): Value[] {
  if (!Array.isArray(operand)) throw badValue(`${operator} needs an array`);
  if (operand.some(isOperatorDoc)) throw badValue(`cannot nest $ under ${operator}`);
  if (operand.includes(UNDEFINED)) throw badValue('cannot compare to undefined');
  return operand;
}

function negated(operand: Value, context: FieldContext): FieldTest {
  if (operand instanceof BSONRegExp) return leaf('$regex', regex(operand));
  if (!isDoc(operand)) throw badValue('$not needs a regex or a document');
  if (operand.size === 0) throw badValue('$not cannot be empty');
  return all(fieldTests(operand, context));
}

function regexOf(operand: Value, options: Value | undefined): BSONRegExp {
  if (options !== undefined && typeof options !== 'string') throw badValue('$options has to be a string');
  if (operand instanceof BSONRegExp) {
    if (options !== undefined && operand.options !== '')
      throw new DatabaseError(51075, 'options set in both $regex and $options');
    return new BSONRegExp(operand.pattern, options ?? operand.options);
  }
  if (typeof operand !== 'string') throw badValue('$regex has to be a string');
  if (operand.includes('\0')) throw new DatabaseError(51109, 'Regular expression cannot contain an embedded null byte');
  if (options !== undefined && !/^[imsxu]*$/.test(options))
    throw new DatabaseError(51108, `invalid flag in regex options: ${options}`);
  return new BSONRegExp(operand, options);
}

function allOf(operand: Value, context: FieldContext): FieldTest[] {
  if (!Array.isArray(operand)) throw badValue('$all needs an array');
  if (operand.length === 0) return [leaf('$eq', () => false)];
  const elementMatches = operand.filter((item) => isDoc(item) && item.keys().next().value === '$elemMatch') as Doc[];
  if (elementMatches.length === operand.length) {
    return elementMatches.map((item) => elementMatch(item.get('$elemMatch') as Value, context));
  }
  if (elementMatches.length > 0) throw badValue('$all/$elemMatch has to be consistent');
  if (operand.some(isOperatorDoc)) throw badValue('no $ expressions in $all');
  return operand.map((item) => equalTo(item, context));
}

function elementMatch(operand: Value, context: FieldContext): FieldTest {
  if (!isDoc(operand)) throw badValue('$elemMatch needs an Object');
  const [first = ''] = operand.keys();
  const ofValues = isOperatorDoc(operand) && !['$and', '$or', '$nor', '$where', '$expr'].includes(first);
  const holds = ofValues ? elementOperators(operand, context) : elementFilter(operand, context);
  return {
    kind: 'leaf',
    rank: RANKS.indexOf('$elemMatch'),
    wholeArrays: true,
    test(value, position) {
      const index = Array.isArray(value) ? value.findIndex(holds) : -1;
      if (index >= 0 && position !== undefined) position.index = index;
      return index >= 0;
    },
  };
}

function elementOperators(operators: Doc, context: FieldContext): (element: Value) => boolean {
  const test = all(fieldTests(operators, context));
  return (element) => testValue(test, element, undefined);
}

function elementFilter(filter: Doc, context: FieldContext): (element: Value) => boolean {
  const test = context.subfilter(filter);
  return (element) => (isDoc(element) ? test(element) : Array.isArray(element) && test(arrayAsDoc(element)));
}
