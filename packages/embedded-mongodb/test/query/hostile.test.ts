import { Int32 } from 'bson';
import fc, { type Arbitrary } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { analyseFilter } from '../../src/query/analyse.ts';
import { DatabaseError } from '../../src/query/errors.ts';
import { compileExpression } from '../../src/query/expression.ts';
import { compileFilter } from '../../src/query/match.ts';
import { splitOutput } from '../../src/query/output-stage.ts';
import { runPipeline } from '../../src/query/pipeline.ts';
import { compileProjection } from '../../src/query/project.ts';
import { compileSort } from '../../src/query/sort.ts';
import { compileUpdate } from '../../src/query/update.ts';
import { upsertDocument } from '../../src/query/upsert.ts';
import { type Doc, isDoc, type Value } from '../../src/query/value.ts';
import { collections, scalars } from './arbitraries.ts';

const OPERATORS = `$eq $ne $gt $gte $lt $lte $in $nin $and $or $nor $not $exists $type $regex $options $mod $all $elemMatch $size
  $bitsAllSet $bitsAnyClear $expr $jsonSchema $comment $sampleRate $set $unset $inc $mul $min $max $rename $setOnInsert $currentDate
  $push $each $slice $sort $position $pull $pullAll $addToSet $pop $bit $match $project $addFields $group $limit $skip $unwind $lookup
  $graphLookup $unionWith $facet $count $sortByCount $bucket $bucketAuto $replaceRoot $replaceWith $sample $redact $documents
  $setWindowFields $out $merge $add $subtract $multiply $divide $abs $round $trunc $pow $sqrt $sum $avg $first $last $concat $split
  $substrCP $trim $replaceAll $regexFind $regexMatch $toString $toInt $toDate $convert $cond $ifNull $switch $let $map $filter $reduce
  $zip $range $arrayElemAt $concatArrays $setUnion $mergeObjects $getField $setField $dateAdd $dateDiff $dateTrunc $dateToString
  $dateFromParts $dateFromString $year $literal $meta $top $firstN $maxN $rank $shift $linearFill $expMovingAvg`.split(/\s+/);

const NAMES = `a b a.b a.0 a.$ a.$[] a.$[e] e _id input in cond as vars initialValue branches case default if from localField
  foreignField let pipeline path includeArrayIndex groupBy boundaries buckets output sortBy n date unit amount timezone format
  startDate endDate to onError find replacement regex chars partitionBy window documents range by coll into on whenMatched
  startWith connectFromField connectToField newRoot size properties required bsonType items pattern and`.split(/\s+/);

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

/** Values that look like questions, but were put together by chance. */
const questions: Arbitrary<Value> = fc.letrec<{ value: Value; document: Doc; array: Value[] }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 5, withCrossShrink: true },
    { weight: 3, arbitrary: scalars },
    { weight: 2, arbitrary: strange },
    { weight: 5, arbitrary: tie('document') },
    { weight: 2, arbitrary: tie('array') },
  ),
  document: fc
    .uniqueArray(fc.tuple(fc.constantFrom(...OPERATORS, ...NAMES), tie('value')), { selector: ([name]) => name, maxLength: 3 })
    .map((fields) => new Map(fields)),
  array: fc.array(tie('value'), { maxLength: 3 }),
})).value;

const question: Arbitrary<Doc> = fc
  .tuple(fc.constantFrom(...OPERATORS, ...NAMES), questions)
  .map(([name, value]) => new Map([[name, value]]));

const SORT_BY: Doc = new Map([['a', new Int32(1)]]);

/** Everything that takes a document from a client. */
const TAKERS: Readonly<Record<string, (asked: Doc, docs: Doc[]) => unknown>> = {
  filter: (asked, docs) => {
    const filter = compileFilter(asked);
    return docs.map((doc) => [filter.matches(doc), filter.positionOf(doc)]);
  },
  'index bounds': (asked) => analyseFilter(asked),
  update: (asked, docs) => docs.map((doc) => compileUpdate(asked, { arrayFilters: [asked] }).apply(doc, { positional: 0 })),
  'update of fields': (asked, docs) => docs.map((doc) => compileUpdate(new Map([['$set', asked]])).apply(doc)),
  'pipeline update': (asked, docs) => docs.map((doc) => compileUpdate([asked]).apply(doc)),
  upsert: (asked) => upsertDocument(asked, compileUpdate(new Map([['$set', new Map([['z', null]])]])), () => null),
  sort: (asked, docs) => docs.map(compileSort(asked).keyOf),
  projection: (asked, docs) => docs.map(compileProjection(asked)),
  expression: (asked, docs) => docs.map(compileExpression(asked)),
  stage: (asked, docs) => [...runPipeline([asked], docs, { collection: () => docs })],
  'accumulator and window': (asked, docs) => [
    ...runPipeline(
      [
        new Map([
          [
            '$setWindowFields',
            new Map<string, Value>([
              ['sortBy', SORT_BY],
              ['output', new Map([['x', asked]])],
            ]),
          ],
        ]),
      ],
      docs,
      { collection: () => docs },
    ),
  ],
  output: (asked) => splitOutput([asked]),
};

describe('whatever a client sends', () => {
  it.each(Object.entries(TAKERS))('%s: the answer is a value or an error of MongoDB', (_name, take) => {
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

  it('documents named __proto__ and constructor stay documents', () => {
    const filter = compileFilter(new Map([['__proto__', 'x']]));
    expect(filter.matches(new Map([['__proto__', 'x']]))).toBe(true);
    expect(filter.matches(new Map())).toBe(false);
    const { doc } = compileUpdate(new Map([['$set', new Map([['constructor.prototype', 'x']])]])).apply(new Map());
    expect(isDoc(doc.get('constructor'))).toBe(true);
  });
});
