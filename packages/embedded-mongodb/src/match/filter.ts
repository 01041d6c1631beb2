import type { Context } from '../context.ts';
import { compileCondition } from '../expressions/expression.ts';
import { badValue, DatabaseError } from '../values/errors.ts';
import { visitPath } from '../values/path.ts';
import { type Doc, isDoc, type Value } from '../values/value.ts';
import { elementTest, type FieldTest, testsOfField } from './fields.ts';

/** A compiled filter. */
export type Filter = {
  matches(doc: Doc): boolean;
};

/**
 * Compiles a filter of the query language. A filter that MongoDB rejects throws here, not while
 * matching.
 */
export function compileFilter(filter: Doc, context: Context = {}): Filter {
  return { matches: conjunction(testsOf(filter, context)) };
}

/** Compiles the operand of `$elemMatch` to a test of one element. */
export function compileElementMatch(operand: Doc, context: Context): (element: Value) => boolean {
  return elementTest(operand, (filter) => subtest(filter, context));
}

type DocTest = (doc: Doc) => boolean;

function testsOf(filter: Doc, context: Context): DocTest[] {
  return [...filter].flatMap(([name, value]) =>
    name.startsWith('$') ? topLevel(name, value, context) : fieldTests(name, value, context),
  );
}

function topLevel(name: string, value: Value, context: Context): DocTest[] {
  switch (name) {
    case '$and':
      return branches(name, value).flatMap((branch) => testsOf(branch, context));
    case '$or':
    case '$nor': {
      const tests = branches(name, value).map((branch) => subtest(branch, context));
      return [(doc) => tests.some((test) => test(doc)) === (name === '$or')];
    }
    case '$expr':
      return [compileCondition(value, context)];
    case '$text':
      if (!isDoc(value)) throw badValue('$text expects an object');
      if (!context.hasText) throw new DatabaseError(27, 'text index required for $text query');
      return [];
  }
  throw badValue(`unknown top level operator: ${name}`);
}

function branches(name: string, value: Value): Doc[] {
  if (!Array.isArray(value)) throw badValue(`${name} must be an array`);
  if (value.length === 0) throw badValue('$and/$or/$nor must be a nonempty array');
  if (!value.every(isDoc)) throw badValue('$or/$and/$nor entries need to be full objects');
  return value;
}

/** A nested filter. It cannot contain `$text`, which only an index can answer. */
function subtest(filter: Doc, context: Context): DocTest {
  return conjunction(testsOf(filter, { ...context, hasText: false }));
}

function conjunction(tests: readonly DocTest[]): DocTest {
  const [first, ...others] = tests;
  if (first === undefined || others.length === 0) return first ?? (() => true);
  return (doc) => {
    for (const test of tests) if (!test(doc)) return false;
    return true;
  };
}

function fieldTests(path: string, value: Value, context: Context): DocTest[] {
  const parts = path.split('.');
  return testsOfField(value, (filter) => subtest(filter, context)).map((test) => onPath(parts, test));
}

/** A test of the document's values at a path. */
function onPath(parts: readonly string[], test: FieldTest): DocTest {
  if (test.kind === 'not') {
    const inner = onPath(parts, test.test);
    return (doc) => !inner(doc);
  }
  if (test.kind === 'all') {
    const tests = test.tests.map((part) => onPath(parts, part));
    return (doc) => tests.every((part) => part(doc));
  }
  const { wholeArrays, test: holds } = test;
  const [name = ''] = parts;
  return (doc) => {
    if (parts.length === 1) {
      const value = doc.get(name);
      if (wholeArrays || !Array.isArray(value)) return holds(value);
    }
    return visitPath(doc, parts, wholeArrays, holds);
  };
}
