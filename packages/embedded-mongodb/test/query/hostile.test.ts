import fc, { type Arbitrary } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compilePipeline } from '../../src/aggregate/pipeline.ts';
import { compileExpression } from '../../src/expressions/expression.ts';
import { analyseFilter } from '../../src/match/analyse.ts';
import { compileFilter } from '../../src/match/filter.ts';
import { compileSort } from '../../src/match/sort.ts';
import { compileProjection } from '../../src/project/projection.ts';
import { compileUpdate } from '../../src/update/update.ts';
import { upsertDocument } from '../../src/update/upsert.ts';
import { DatabaseError } from '../../src/values/errors.ts';
import { type Doc, isDoc, type Value } from '../../src/values/value.ts';
import { collections, scalars } from './arbitraries.ts';

const operators =
  `$eq $ne $gt $gte $lt $lte $in $and $or $nor $not $exists $elemMatch $size $expr $regex $set $unset $inc $max $currentDate
  $push $each $slice $pull $addToSet $match $project $group $limit $sort $unwind $lookup $replaceWith $facet $add $sum
  $cond $ifNull $let $map $filter $arrayElemAt $concatArrays $setUnion $mergeObjects $in $not $literal $meta $dateAdd`.split(
    /\s+/,
  );

const names = `a b a.b a.0 a.$ a.$[] a.$[e] e _id input in cond as vars if then else from localField foreignField path
  query sort n and`.split(/\s+/);

const strange = fc.constantFrom(
  '$a',
  '$$ROOT',
  '$$e',
  '$',
  '$a.',
  '',
  'current',
  'unbounded',
  'day',
  'int',
  'textScore',
  'a',
  '%Y',
);

/** Random values that resemble queries. */
const questions: Arbitrary<Value> = fc.letrec<{ value: Value; document: Doc; array: Value[] }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 5, withCrossShrink: true },
    { weight: 3, arbitrary: scalars },
    { weight: 2, arbitrary: strange },
    { weight: 5, arbitrary: tie('document') },
    { weight: 2, arbitrary: tie('array') },
  ),
  document: fc
    .uniqueArray(fc.tuple(fc.constantFrom(...operators, ...names), tie('value')), { selector: ([name]) => name, maxLength: 3 })
    .map((fields) => new Map(fields)),
  array: fc.array(tie('value'), { maxLength: 3 }),
})).value;

const question: Arbitrary<Doc> = fc
  .tuple(fc.constantFrom(...operators, ...names), questions)
  .map(([name, value]) => new Map([[name, value]]));

/** Functions that receive a document from a client. */
const takers: Readonly<Record<string, (asked: Doc, docs: Doc[]) => unknown>> = {
  filter: (asked, docs) => {
    const filter = compileFilter(asked);
    return docs.map(filter.matches);
  },
  'index bounds': (asked) => analyseFilter(asked),
  update: (asked, docs) => docs.map((doc) => compileUpdate(asked, { arrayFilters: [asked] }).apply(doc)),
  'update of fields': (asked, docs) => docs.map((doc) => compileUpdate(new Map([['$set', asked]])).apply(doc)),
  'pipeline update': (asked, docs) => docs.map((doc) => compileUpdate([asked]).apply(doc)),
  upsert: (asked) => upsertDocument(asked, compileUpdate(new Map([['$set', new Map([['z', null]])]])), () => null),
  sort: (asked, docs) => docs.map(compileSort(asked).keyOf),
  projection: (asked, docs) => docs.map(compileProjection(asked)),
  expression: (asked, docs) => docs.map(compileExpression(asked, {})),
  stage: (asked, docs) => [...compilePipeline([asked], { collection: () => docs }).run(docs)],
};

describe('hostile input', () => {
  it.each(Object.entries(takers))('hostile input as %s is answered with a value or an error of MongoDB', (_name, take) => {
    fc.assert(
      fc.property(question, collections, (asked, docs) => {
        try {
          take(asked, docs);
          return true;
        } catch (error) {
          return error instanceof DatabaseError;
        }
      }),
      { numRuns: 500 },
    );
  });

  it('a document with fields named __proto__ and constructor stays a document', () => {
    const filter = compileFilter(new Map([['__proto__', 'x']]));
    expect(filter.matches(new Map([['__proto__', 'x']]))).toBe(true);
    expect(filter.matches(new Map())).toBe(false);
    const { doc } = compileUpdate(new Map([['$set', new Map([['constructor.prototype', 'x']])]])).apply(new Map());
    expect(isDoc(doc.get('constructor'))).toBe(true);
  });
});
