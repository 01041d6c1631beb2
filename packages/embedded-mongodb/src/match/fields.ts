import { badValue } from '../values/errors.ts';
import { arrayAsDoc } from '../values/path.ts';
import { isTrue } from '../values/truth.ts';
import { type Doc, isDoc, type Maybe, type Value } from '../values/value.ts';
import { type Comparison, comparison, membership, type Predicate, sizeTest } from './operators.ts';

/** Where `$elemMatch` notes the index of the element that matched. */
export type Position = {
  index: number | undefined;
};

/** A test of what a path leads to. */
export type FieldTest =
  | {
      readonly kind: 'leaf';
      readonly rank: number;
      /** An array is shown as it is and not by its elements. */
      readonly wholeArrays: boolean;
      readonly test: (value: Maybe, position: Position | undefined) => boolean;
    }
  | { readonly kind: 'all'; readonly tests: readonly FieldTest[] }
  | { readonly kind: 'not'; readonly test: FieldTest };

/** Compiles the filter inside `$elemMatch`. */
export type Subfilter = (filter: Doc) => (doc: Doc) => boolean;

const dbrefFields: ReadonlySet<string> = new Set(['$ref', '$id', '$db']);

/** MongoDB's order of the kinds of tests in a conjunction. */
const ranks = ['$elemMatch', '$size', '$eq', '$lte', '$lt', '$gt', '$gte', '$exists', '$in', '$not'];

/** Whether a value is a document of operators, such as `{ $gt: 1 }`; a DBRef is not. */
export function isOperatorDoc(value: Maybe): value is Doc {
  if (!isDoc(value)) return false;
  const [first] = value.keys();
  return first?.startsWith('$') === true && !dbrefFields.has(first);
}

/** What a filter says about one field: operators, or a value to be equal to. */
export function testsOfField(value: Value, subfilter: Subfilter): FieldTest[] {
  return isOperatorDoc(value) ? fieldTests(value, subfilter) : [leaf('$eq', comparison('$eq', value))];
}

/** The place of a test in MongoDB's order of a conjunction. */
export function rankOf(test: FieldTest): number {
  if (test.kind === 'leaf') return test.rank;
  return test.kind === 'not' ? ranks.indexOf('$not') : Math.max(...test.tests.map(rankOf));
}

/** Applies a test to a single value, whose own elements are not looked at. */
function testValue(test: FieldTest, value: Maybe): boolean {
  if (test.kind === 'leaf') return test.test(value, undefined);
  if (test.kind === 'not') return !testValue(test.test, value);
  return test.tests.every((part) => testValue(part, value));
}

function leaf(operator: string, test: Predicate, wholeArrays = false): FieldTest {
  return { kind: 'leaf', rank: ranks.indexOf(operator), wholeArrays, test };
}

function not(test: FieldTest): FieldTest {
  return { kind: 'not', test };
}

function fieldTests(operators: Doc, subfilter: Subfilter): FieldTest[] {
  return [...operators].map(([name, operand]) => fieldTest(name, operand, subfilter));
}

function fieldTest(name: string, operand: Value, subfilter: Subfilter): FieldTest {
  switch (name) {
    case '$eq':
    case '$lt':
    case '$lte':
    case '$gt':
    case '$gte':
      return leaf(name, comparison(name satisfies Comparison, operand));
    case '$ne':
      return not(leaf('$eq', comparison('$eq', operand)));
    case '$in':
      return leaf('$in', membership(listOf(name, operand)));
    case '$not':
      return not(negated(operand, subfilter));
    case '$exists': {
      const exists = leaf('$exists', (value) => value !== undefined);
      return isTrue(operand) ? exists : not(exists);
    }
    case '$size':
      return leaf('$size', sizeTest(operand), true);
    case '$elemMatch':
      return elementMatch(operand, subfilter);
  }
  throw badValue(`unknown operator: ${name}`);
}

function listOf(operator: string, operand: Value): Value[] {
  if (!Array.isArray(operand)) throw badValue(`${operator} needs an array`);
  if (operand.some(isOperatorDoc)) throw badValue(`cannot nest $ under ${operator}`);
  return operand;
}

function negated(operand: Value, subfilter: Subfilter): FieldTest {
  if (!isDoc(operand)) throw badValue('$not needs a regex or a document');
  if (operand.size === 0) throw badValue('$not cannot be empty');
  return { kind: 'all', tests: fieldTests(operand, subfilter) };
}

function elementMatch(operand: Value, subfilter: Subfilter): FieldTest {
  if (!isDoc(operand)) throw badValue('$elemMatch needs an Object');
  const [first = ''] = operand.keys();
  const ofValues = isOperatorDoc(operand) && !['$and', '$or', '$nor', '$expr'].includes(first);
  const holds = ofValues ? elementOperators(operand, subfilter) : elementFilter(operand, subfilter);
  return {
    kind: 'leaf',
    rank: ranks.indexOf('$elemMatch'),
    wholeArrays: true,
    test(value, position) {
      const index = Array.isArray(value) ? value.findIndex(holds) : -1;
      if (index >= 0 && position !== undefined) position.index = index;
      return index >= 0;
    },
  };
}

function elementOperators(operators: Doc, subfilter: Subfilter): (element: Value) => boolean {
  const tests = fieldTests(operators, subfilter);
  return (element) => tests.every((test) => testValue(test, element));
}

function elementFilter(filter: Doc, subfilter: Subfilter): (element: Value) => boolean {
  const test = subfilter(filter);
  return (element) => (isDoc(element) ? test(element) : Array.isArray(element) && test(arrayAsDoc(element)));
}
