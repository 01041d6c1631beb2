import { compileCondition } from '../aggregate/expression.ts';
import type { Context } from '../context.ts';
import { badValue, DatabaseError } from '../values/errors.ts';
import { visitPath } from '../values/path.ts';
import { type Doc, isDoc, type Value } from '../values/value.ts';
import { type FieldTest, type Position, rankOf, testsOfField } from './fields.ts';

/** A filter, compiled once and asked for many documents. */
export type Filter = {
  /** Whether the document matches. */
  matches(doc: Doc): boolean;
  /** The index of the array element by which a matching document matched: what `$` stands for in a projection. */
  positionOf(doc: Doc): number | undefined;
};

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

type DocTest = (doc: Doc, position: Position | undefined) => boolean;

/** One part of a conjunction; `rank` and `path` put the parts into MongoDB's order, by which the last one sets the position. */
type Clause = {
  readonly rank: number;
  readonly path: string;
  readonly test: DocTest;
};

const rankTree = -1;
const rankLast = 100;

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
      const tests = branches(name, value).map((branch) => subtest(branch, context));
      return [clause(rankTree, (doc) => tests.some((test) => test(doc, undefined)))];
    }
    case '$nor': {
      const tests = branches(name, value).map((branch) => subtest(branch, context));
      return [clause(rankLast, (doc) => !tests.some((test) => test(doc, undefined)))];
    }
    case '$expr':
      return [clause(rankLast, compileCondition(value, context))];
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

/** A filter inside another one, where `$text` would have to be asked of each document. */
function subtest(filter: Doc, context: Context): DocTest {
  return conjunction(clausesOf(filter, { ...context, hasText: false }));
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
  const subfilter = (filter: Doc) => {
    const test = subtest(filter, context);
    return (doc: Doc) => test(doc, undefined);
  };
  return testsOfField(value, subfilter).map((test) => ({ rank: rankOf(test), path, test: onPath(parts, test) }));
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
