import { DatabaseError } from '../errors.ts';
import { compileFilter } from '../match.ts';
import { integerOf } from '../match-operators.ts';
import { compileSort, type Sort } from '../sort.ts';
import { type Doc, isDoc, isNumber, typeName, type Value } from '../value.ts';
import { checkNames, docOf, type Stage, type StageCompiler } from './stage.ts';

/** Stages that let documents through: which of them, how many, in which order. */
export const FLOW: Readonly<Record<string, StageCompiler>> = {
  $match: (spec, context) => {
    if (!isDoc(spec)) throw new DatabaseError(15959, 'the match filter must be an expression in an object');
    const { matches } = compileFilter(spec, context);
    return function* (input) {
      for (const doc of input) if (matches(doc)) yield doc;
    };
  },
  $limit: (spec) => {
    const limit = countOf(spec, '$limit', 5107201);
    if (limit < 0)
      throw new DatabaseError(5107201, `invalid argument to $limit stage: Expected a non-negative number in: $limit: ${limit}`);
    if (limit === 0) throw new DatabaseError(15958, 'the limit must be positive');
    return function* (input) {
      let left = limit;
      for (const doc of input) {
        yield doc;
        left--;
        if (left === 0) return;
      }
    };
  },
  $skip: (spec) => {
    const skip = countOf(spec, '$skip', 5107200);
    if (skip < 0)
      throw new DatabaseError(5107200, `invalid argument to $skip stage: Expected a non-negative number in: $skip: ${skip}`);
    return function* (input) {
      let left = skip;
      for (const doc of input) {
        if (left === 0) yield doc;
        else left--;
      }
    };
  },
  $sort: (spec, context) => {
    if (!isDoc(spec)) throw new DatabaseError(15973, 'the $sort key specification must be an object');
    if (spec.size === 0) throw new DatabaseError(15976, '$sort stage must have at least one sort key');
    return sorting(compileSort(spec, context), context.limit);
  },
  $sample: (spec) => {
    const options = docOf(spec, '$sample', 28745);
    checkNames(options, ['size'], '$sample', 28748);
    const size = options.get('size');
    if (size === undefined) throw new DatabaseError(28749, '$sample stage must specify a size');
    if (!isNumber(size)) throw new DatabaseError(28746, 'size argument to $sample must be a number');
    const count = Number(integerOf(size) ?? -1n);
    if (count < 1) throw new DatabaseError(28747, 'size argument to $sample must be a positive integer');
    return (input) => sampled(input, count);
  },
  $documents: (spec, context) => {
    const made = context.pipeline([new Map([['$replaceRoot', new Map([['newRoot', new Map([['docs', spec]])]])]])], context);
    return function* () {
      for (const doc of made.run([new Map()])) {
        const docs = doc.get('docs');
        if (!Array.isArray(docs))
          throw new DatabaseError(5858203, `an array is expected for $documents, found: ${typeName(docs)}`);
        for (const item of docs) {
          if (!isDoc(item)) throw new DatabaseError(40228, 'each element of $documents must be an object');
          yield item;
        }
      }
    };
  },
};

/** A stage that sorts all that comes; it keeps no more than twice what is asked for, if that is known. */
export function sorting(sort: Sort, limit = Number.POSITIVE_INFINITY): Stage {
  return function* (input) {
    let keyed: { doc: Doc; key: Value[] }[] = [];
    const settle = () => keyed.sort((a, b) => sort.compareKeys(a.key, b.key)).slice(0, limit);
    for (const doc of input) {
      keyed.push({ doc, key: sort.keyOf(doc) });
      if (keyed.length > 2 * limit + SPARE) keyed = settle();
    }
    for (const { doc } of settle()) yield doc;
  };
}

/** Sorting a few documents more at once is cheaper than sorting often. */
const SPARE = 100;

/** How many documents a stage lets through, `undefined` for all other stages. */
export function limitOf(stage: Value | undefined): number | undefined {
  const limit = isDoc(stage) ? stage.get('$limit') : undefined;
  const whole = isNumber(limit) ? integerOf(limit) : undefined;
  return whole !== undefined && whole > 0n ? Number(whole) : undefined;
}

function countOf(spec: Value, name: string, code: number): number {
  if (!isNumber(spec))
    throw new DatabaseError(code, `invalid argument to ${name} stage: Expected a number in: ${name}: ${String(spec)}`);
  const whole = integerOf(spec);
  if (whole === undefined)
    throw new DatabaseError(code, `invalid argument to ${name} stage: Expected an integer: ${name}: ${spec}`);
  return Number(whole);
}

/** Draws without replacement, holding no more than the sample. */
function* sampled(input: Iterable<Doc>, size: number): Iterable<Doc> {
  const chosen: Doc[] = [];
  let seen = 0;
  for (const doc of input) {
    seen++;
    const at = Math.floor(Math.random() * seen);
    if (chosen.length < size) chosen.push(doc);
    else if (at < size) chosen[at] = doc;
  }
  for (let left = chosen.length; left > 0; left--) {
    const [doc] = chosen.splice(Math.floor(Math.random() * left), 1);
    yield doc as Doc;
  }
}
