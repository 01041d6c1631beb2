import { Int32 } from 'bson';
import type { Context } from './context.ts';
import { badValue, DatabaseError, failedToParse } from './errors.ts';
import { compileCondition } from './expression.ts';
import { compileJsonSchema } from './json-schema.ts';
import { type FieldContext, type FieldTest, type Position, rankOf, testsOfField, testValue } from './match-fields.ts';
import type { Predicate } from './match-operators.ts';
import { toNumber } from './numbers.ts';
import { visitPath } from './path.ts';
import { type Doc, isDoc, isNumber, type Value } from './value.ts';

/** A filter, compiled once and asked for many documents. */
export interface Filter {
  /** Whether the document matches. */
  matches(doc: Doc): boolean;
  /** The index of the array element by which a matching document matched: what `$` stands for in an update or projection. */
  positionOf(doc: Doc): number | undefined;
}

/** Compiles a filter of the query language; what MongoDB refuses is refused here and not while matching. */
export function compileFilter(filter: Doc, context: Context = {}): Filter {
  const test = conjunction(clausesOf(filter, context));
  return {
    matches: (doc) => test(doc, undefined),
    positionOf(doc) {
      const position: Position = { index: undefined };
      test(doc, position);
      return position.index;
    },
  };
}

/** Compiles the operators of one field, `{ $gt: 1, $lt: 5 }`, into a test of a single value, as `$pull` and array filters need. */
export function compileOperators(operators: Doc, context: Context = {}): Predicate {
  const tests = testsOfField(operators, fieldContext(context));
  return (value) => tests.every((test) => testValue(test, value, undefined));
}

type DocTest = (doc: Doc, position: Position | undefined) => boolean;

/** One part of a conjunction; `rank` and `path` put the parts into MongoDB's order, by which the last one sets the position. */
interface Clause {
  readonly rank: number;
  readonly path: string;
  readonly test: DocTest;
}

const RANK_TREE = -1;
const RANK_LAST = 100;

function clausesOf(filter: Doc, context: Context): Clause[] {
  return [...filter].flatMap(([name, value]) =>
    name.startsWith('$') ? topLevel(name, value, context) : fieldClauses(name, value, context),
  );
}

function topLevel(name: string, value: Value, context: Context): Clause[] {
  switch (name) {
    case '$and':
      return branches(name, value).flatMap((branch) => clausesOf(branch, context));
    case '$or': {
      const tests = branches(name, value).map((branch) => conjunction(clausesOf(branch, context)));
      return [clause(RANK_TREE, (doc) => tests.some((test) => test(doc, undefined)))];
    }
    case '$nor': {
      const tests = branches(name, value).map((branch) => conjunction(clausesOf(branch, context)));
      return [clause(RANK_LAST, (doc) => !tests.some((test) => test(doc, undefined)))];
    }
    case '$expr':
      return [clause(RANK_LAST, compileCondition(value, context))];
    case '$jsonSchema':
      if (!isDoc(value)) throw new DatabaseError(14, '$jsonSchema must be an object');
      return [clause(RANK_LAST, compileJsonSchema(value))];
    case '$comment':
      return [];
    case '$alwaysTrue':
    case '$alwaysFalse':
      if (!(value instanceof Int32) || value.value !== 1) throw failedToParse(`${name} must be an integer value of 1`);
      return [clause(RANK_LAST, () => name === '$alwaysTrue')];
    case '$sampleRate':
      return [clause(RANK_LAST, sampled(value))];
    case '$text':
      return [clause(RANK_LAST, textTest(value, context))];
    case '$where':
      throw badValue('no globalScriptEngine in $where parsing');
  }
  throw badValue(
    `unknown top level operator: ${name}. If you have a field name that starts with a '$' symbol, consider using $getField or $setField.`,
  );
}

function branches(name: string, value: Value): Doc[] {
  if (!Array.isArray(value)) throw badValue(`${name} must be an array`);
  if (value.length === 0) throw badValue('$and/$or/$nor must be a nonempty array');
  if (!value.every(isDoc)) throw badValue('$or/$and/$nor entries need to be full objects');
  return value;
}

function sampled(value: Value): DocTest {
  const rate = isNumber(value) ? toNumber(value) : Number.NaN;
  if (!(rate >= 0 && rate <= 1)) throw badValue('$sampleRate must be a number between 0 and 1');
  return () => Math.random() < rate;
}

function textTest(value: Value, context: Context): DocTest {
  if (!isDoc(value)) throw badValue('$text expects an object');
  if (context.text === undefined) throw new DatabaseError(27, 'text index required for $text query');
  const score = context.text(value);
  return (doc) => score(doc) !== undefined;
}

function clause(rank: number, test: DocTest): Clause {
  return { rank, path: '', test };
}

function conjunction(clauses: readonly Clause[]): DocTest {
  const [first] = clauses;
  if (first === undefined) return () => true;
  if (clauses.length === 1) return first.test;
  const tests = clauses
    .toSorted((a, b) => a.rank - b.rank || (a.path < b.path ? -1 : Number(a.path > b.path)))
    .map(({ test }) => test);
  return (doc, position) => {
    for (const test of tests) if (!test(doc, position)) return false;
    return true;
  };
}

function fieldClauses(path: string, value: Value, context: Context): Clause[] {
  const parts = path.split('.');
  return testsOfField(value, fieldContext(context)).map((test) => ({ rank: rankOf(test), path, test: onPath(parts, test) }));
}

/** Binds a test to a path. A negation sees no position, because what did not match has none. */
function onPath(parts: readonly string[], test: FieldTest): DocTest {
  if (test.kind === 'not') {
    const inner = onPath(parts, test.test);
    return (doc) => !inner(doc, undefined);
  }
  if (test.kind === 'all') {
    const tests = test.tests.map((part) => onPath(parts, part));
    return (doc, position) => tests.every((part) => part(doc, position));
  }
  const { wholeArrays, test: holds } = test;
  const [name = ''] = parts;
  return (doc, position) => {
    if (parts.length === 1) {
      const value = doc.get(name);
      if (wholeArrays || !Array.isArray(value)) return holds(value, position);
    }
    return visitPath(doc, parts, wholeArrays, (value, index) => {
      if (!holds(value, position)) return false;
      if (position !== undefined && index >= 0) position.index = index;
      return true;
    });
  };
}

function fieldContext(context: Context): FieldContext {
  return {
    texts: context.texts,
    subfilter(filter) {
      const test = conjunction(clausesOf(filter, context));
      return (doc) => test(doc, undefined);
    },
  };
}
