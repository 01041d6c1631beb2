import { Int32 } from 'bson';
import { compare, typeRank } from '../compare.ts';
import { DatabaseError, notSupported } from '../errors.ts';
import { compilerFor } from '../expression.ts';
import { integerOf } from '../match-operators.ts';
import { compileSort } from '../sort.ts';
import { type Doc, isDoc, isNumber, type Value } from '../value.ts';
import { sorting } from './flow.ts';
import { compileFields, groupDoc, grouping } from './grouping.ts';
import { checkNames, docOf, type Stage, type StageCompiler, type StageContext } from './stage.ts';

/** Stages that group by ranges. */
export const BUCKETS: Readonly<Record<string, StageCompiler>> = {
  $bucket: bucket,
  $bucketAuto: bucketAuto,
};

const COUNT: Doc = new Map([['count', new Map([['$sum', new Int32(1)]])]]);

function bucket(spec: Value, context: StageContext): Stage {
  const options = docOf(spec, '$bucket', 40201);
  checkNames(options, ['groupBy', 'boundaries', 'default', 'output'], '$bucket', 40197);
  const groupBy = options.get('groupBy');
  const list = options.get('boundaries');
  if (groupBy === undefined || list === undefined)
    throw new DatabaseError(40198, "$bucket requires 'groupBy' and 'boundaries' to be specified.");
  checkGroupBy(groupBy, 40202, '$bucket');
  const compiler = compilerFor(context);
  const boundaries = boundariesOf(list, (value) => compiler.compile(value).evaluate(new Map()));
  const hasDefault = options.has('default');
  const otherwise = hasDefault ? compiler.compile(options.get('default') as Value).evaluate(new Map()) : undefined;
  const [low, high] = [boundaries[0], boundaries.at(-1)];
  const sameType = otherwise !== undefined && typeRank(otherwise) === typeRank(low);
  if (sameType && compare(otherwise, low) >= 0 && compare(otherwise, high) < 0) {
    throw new DatabaseError(
      40199,
      "The $bucket 'default' field must be less than the lowest boundary or greater than or equal to the highest boundary.",
    );
  }
  const { evaluate } = compiler.compile(groupBy);
  const group = grouping(
    (doc) => {
      const value = evaluate(doc);
      const at = boundaries.findLastIndex((boundary) => compare(boundary, value, context.texts) <= 0);
      if (at >= 0 && at < boundaries.length - 1) return boundaries[at];
      if (!hasDefault)
        throw new DatabaseError(40066, '$switch could not find a matching branch for an input, and no default was specified.');
      return otherwise;
    },
    compileFields(outputOf(options, 40196), compiler),
  );
  const sort = sorting(compileSort(new Map([['_id', new Int32(1)]]), context));
  return (input) => sort(group(input));
}

function bucketAuto(spec: Value, context: StageContext): Stage {
  const options = docOf(spec, '$bucketAuto', 40240);
  checkNames(options, ['groupBy', 'buckets', 'output', 'granularity'], '$bucketAuto', 40245);
  const groupBy = options.get('groupBy');
  const count = options.get('buckets');
  if (groupBy === undefined || count === undefined)
    throw new DatabaseError(40246, "$bucketAuto requires 'groupBy' and 'buckets' to be specified");
  checkGroupBy(groupBy, 40239, '$bucketAuto');
  if (options.has('granularity')) throw notSupported('$bucketAuto with a granularity is not supported');
  if (!isNumber(count)) throw new DatabaseError(40241, `The $bucketAuto 'buckets' field must be a numeric value`);
  const buckets = integerOf(count);
  if (buckets === undefined)
    throw new DatabaseError(40242, `The $bucketAuto 'buckets' field must be representable as a 32-bit integer`);
  if (buckets <= 0n)
    throw new DatabaseError(40243, `The $bucketAuto 'buckets' field must be greater than 0, but found: ${buckets}`);
  const compiler = compilerFor(context);
  const { evaluate } = compiler.compile(groupBy);
  const fields = compileFields(outputOf(options, 40244), compiler);
  return function* (input) {
    const entries = Array.from(input, (doc) => ({ doc, value: evaluate(doc) ?? null }));
    entries.sort((a, b) => compare(a.value, b.value, context.texts));
    const size = Math.max(1, Math.round(entries.length / Number(buckets)));
    let made = 0;
    for (let start = 0; start < entries.length; ) {
      made++;
      let end = made === Number(buckets) ? entries.length : Math.min(entries.length, start + size);
      // Equal values stay in one bucket.
      while (end < entries.length && compare(entries[end]?.value, entries[end - 1]?.value, context.texts) === 0) end++;
      const accumulations = fields.map(([, accumulator]) => accumulator.start());
      for (const { doc } of entries.slice(start, end)) {
        for (const [i, [, { input: read }]] of fields.entries()) accumulations[i]?.add(read(doc));
      }
      const id: Doc = new Map([
        ['min', entries[start]?.value ?? null],
        ['max', (end < entries.length ? entries[end] : entries[end - 1])?.value ?? null],
      ]);
      yield groupDoc(id, fields, accumulations);
      start = end;
    }
  };
}

function checkGroupBy(value: Value, code: number, name: string): void {
  const isExpression = isDoc(value)
    ? value.keys().next().value?.startsWith('$')
    : typeof value === 'string' && value.startsWith('$');
  if (!isExpression)
    throw new DatabaseError(code, `The ${name} 'groupBy' field must be defined as a $-prefixed path or an expression`);
}

function outputOf(options: Doc, code: number): Doc {
  const output = options.get('output') ?? COUNT;
  if (!isDoc(output)) throw new DatabaseError(code, "The 'output' field must be an object");
  return output;
}

function boundariesOf(list: Value, constant: (value: Value) => Value | undefined): Value[] {
  if (!Array.isArray(list)) throw new DatabaseError(40200, "The $bucket 'boundaries' field must be an array");
  if (list.length < 2) throw new DatabaseError(40192, "The $bucket 'boundaries' field must have at least 2 values");
  const boundaries = list.map((item) => constant(item) ?? null);
  for (const [i, boundary] of boundaries.entries()) {
    const previous = boundaries[i - 1];
    if (previous === undefined) continue;
    if (typeRank(previous) !== typeRank(boundary)) {
      throw new DatabaseError(40193, "All values in the the 'boundaries' option to $bucket must have the same type");
    }
    if (compare(previous, boundary) >= 0) throw new DatabaseError(40194, "The 'boundaries' option to $bucket must be sorted");
  }
  return boundaries;
}
