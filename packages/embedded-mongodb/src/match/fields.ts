import { badValue } from '../values/errors.ts';
import { arrayAsDoc } from '../values/path.ts';
import { isTrue } from '../values/truth.ts';
import { type Doc, isDoc, type Maybe, type Value } from '../values/value.ts';
import { type Comparison, comparison, membership, type Predicate, sizeTest } from './operators.ts';

/** A test of the values at a path. */
export type FieldTest =
  | {
      readonly kind: 'leaf';
      /** The test gets an array as a whole instead of its elements. */
      readonly wholeArrays: boolean;
      readonly test: Predicate;
    }
  | { readonly kind: 'all'; readonly tests: readonly FieldTest[] }
  | { readonly kind: 'not'; readonly test: FieldTest };

/** Compiles the filter inside `$elemMatch`. */
type Subfilter = (filter: Doc) => (doc: Doc) => boolean;

const dbrefFields: ReadonlySet<string> = new Set(['$ref', '$id', '$db']);

/** True for a document of operators, such as `{ $gt: 1 }`, but not for a DBRef. */
export function isOperatorDoc(value: Maybe): value is Doc {
  if (!isDoc(value)) return false;
  const [first] = value.keys();
  return first?.startsWith('$') === true && !dbrefFields.has(first);
}

/** The tests of one field in a filter: operators, or equality with a value. */
export function testsOfField(value: Value, subfilter: Subfilter): FieldTest[] {
  return isOperatorDoc(value) ? fieldTests(value, subfilter) : [leaf(comparison('$eq', value))];
}

/** Applies a test to a single value. If that is an array, its elements are not tested. */
function testValue(test: FieldTest, value: Maybe): boolean {
  if (test.kind === 'leaf') return test.test(value);
  if (test.kind === 'not') return !testValue(test.test, value);
  return test.tests.every((part) => testValue(part, value));
}

function leaf(test: Predicate, wholeArrays = false): FieldTest {
  return { kind: 'leaf', wholeArrays, test };
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
      return leaf(comparison(name satisfies Comparison, operand));
    case '$ne':
      return not(leaf(comparison('$eq', operand)));
    case '$in':
      return leaf(membership(listOf(name, operand)));
    case '$not':
      return not(negated(operand, subfilter));
    case '$exists': {
      const exists = leaf((value) => value !== undefined);
      return isTrue(operand) ? exists : not(exists);
    }
    case '$size':
      return leaf(sizeTest(operand), true);
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
  const holds = elementTest(operand, subfilter);
  return leaf((value) => Array.isArray(value) && value.some(holds), true);
}

/** Compiles the operand of `$elemMatch` to a test of one element. */
export function elementTest(operand: Doc, subfilter: Subfilter): (element: Value) => boolean {
  const [first = ''] = operand.keys();
  const ofValues = isOperatorDoc(operand) && !['$and', '$or', '$nor', '$expr'].includes(first);
  return ofValues ? elementOperators(operand, subfilter) : elementFilter(operand, subfilter);
}

function elementOperators(operators: Doc, subfilter: Subfilter): (element: Value) => boolean {
  const tests = fieldTests(operators, subfilter);
  return (element) => tests.every((test) => testValue(test, element));
}

function elementFilter(filter: Doc, subfilter: Subfilter): (element: Value) => boolean {
  const test = subfilter(filter);
  return (element) => (isDoc(element) ? test(element) : Array.isArray(element) && test(arrayAsDoc(element)));
}
