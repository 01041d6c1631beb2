import { Double, Int32, Long } from 'bson';
import { compilePipeline } from '../../src/aggregate/pipeline.ts';
import { compileFilter } from '../../src/match/filter.ts';
import { present } from '../../src/operation.ts';
import { compare, equals } from '../../src/values/compare.ts';
import { type Doc, isDoc, type Value } from '../../src/values/value.ts';
import { codeOf } from './notation.ts';

/** A case in which this package follows MongoDB, and the reference engine differs. */
export type KnownDifference<Case> = {
  readonly reason: string;
  applies(difference: Case): boolean;
};

/** A document before an update, and the two results. A number is an error code. */
export type UpdateDifference = {
  readonly before: Doc;
  readonly update: Doc;
  readonly arrayFilters?: readonly Doc[];
  readonly own: Doc | number;
  readonly theirs: Doc | number;
};

/** Differences in updates. */
export const updateDifferences: readonly KnownDifference<UpdateDifference>[] = [
  {
    reason: 'a field of an element that is no document is missing and so null to an array filter, but not in the engine',
    applies: ({ arrayFilters = [] }) => arrayFilters.some(asksForNullInside),
  },
  {
    reason:
      'of an element that is an array, the engine holds each item against the whole filter; in MongoDB each condition finds its own',
    applies: ({ before, arrayFilters = [] }) =>
      some(before, isNestedArray) && arrayFilters.some((filter) => some(filter, negatesOrCombines)),
  },
  {
    reason: 'the engine takes NaN for greater than all numbers in $max; in MongoDB it comes before them',
    applies: ({ before, update }) => update.has('$max') && [before, update].some((d) => some(d, isNaNumber)),
  },
  {
    reason: 'of several things wrong with an update, or with a path that leads nowhere, the engine reports another than MongoDB',
    applies: ({ own, theirs }) => [own, theirs].every((code) => typeof code === 'number' && [2, 9, 14, 28].includes(code)),
  },
  {
    reason: 'the engine counts with booleans in $inc; MongoDB refuses them as no numbers',
    applies: ({ own, theirs, before }) =>
      own === 14 && isDoc(theirs as Value) && some(before, (value) => typeof value === 'boolean'),
  },
  {
    reason: 'the engine makes empty documents on the way to a field that $pull does not find',
    applies: ({ own, theirs, update }) => update.has('$pull') && typeof own !== 'number' && typeof theirs !== 'number',
  },
  {
    reason:
      'the engine lets $unset pass over $[] on a field that is no array or not there, but not over other paths that lead nowhere',
    applies: ({ own, theirs, update }) =>
      fieldsOf(update, '$unset').length > 0 && (typeof own === 'number') !== (typeof theirs === 'number'),
  },
  {
    reason: 'the engine does not make an empty array of $push or $addToSet with nothing to add or all of it cut off',
    applies: ({ update, theirs }) =>
      typeof theirs !== 'number' && ['$push', '$addToSet'].some((name) => some(update.get(name) ?? null, isEmptyEach)),
  },
];

/** Differences in sorting. */
export const sortDifferences: readonly KnownDifference<{ docs: readonly Doc[]; sort: Doc }>[] = [
  {
    reason: 'the engine sorts an empty array as null; in MongoDB it comes before null and missing fields',
    applies: ({ docs }) => docs.some((doc) => some(doc, (value) => Array.isArray(value) && value.length === 0)),
  },
  {
    reason: 'the engine does not look into an array inside an array by its number',
    applies: ({ sort, docs }) =>
      [...sort.keys()].some((path) => /\.\d/.test(path)) && docs.some((doc) => some(doc, isNestedArray)),
  },
];

/** Differences in filters. */
export const filterDifferences: readonly KnownDifference<{ docs: readonly Doc[]; filter: Doc }>[] = [
  {
    reason: 'the engine does not let $elemMatch compare missing fields by $gt, $gte, $lt and $lte',
    applies: ({ filter }) => some(filter, comparesMissing),
  },
];

/** Differences in the projection of a find. */
export const projectionDifferences: readonly KnownDifference<{ projection: Doc }>[] = [
  {
    reason: 'the engine does not let $elemMatch compare missing fields by $gt, $gte, $lt and $lte',
    applies: ({ projection }) => some(projection, comparesMissing),
  },
];

/** A pipeline, and the two results. A number is an error code. */
export type PipelineDifference = {
  readonly docs: readonly Doc[];
  readonly stages: readonly Doc[];
  readonly own: readonly Doc[] | number;
  readonly theirs: readonly Doc[] | number;
};

/** Differences in pipelines and expressions. */
export const pipelineDifferences: readonly KnownDifference<PipelineDifference>[] = [
  {
    reason: 'the engine does not compute, and so does not fail on, fields that a later stage drops',
    applies: ({ own, theirs, stages }) => stages.length > 2 && typeof own === 'number' && typeof theirs !== 'number',
  },
  {
    reason: 'the engine computes, and so fails on, fields of documents that a later stage does not ask for',
    applies: ({ own, theirs, stages }) => typeof own !== 'number' && typeof theirs === 'number' && uses(stages, '$limit'),
  },
  {
    reason:
      'the engine goes on after a null argument that makes the whole result null, and finds a wrong type, a second date or one that is too late',
    applies: ({ own, theirs, docs, stages }) =>
      [14, 15, 16612].includes(Number(theirs)) &&
      own !== theirs &&
      // For some document, our sum succeeds. A later stage or another document may still fail.
      stages.some((_, i) => {
        const begun = stages.slice(0, i + 1);
        return uses(begun, '$add') && docs.some((doc) => typeof ownOutcome(begun, [doc], docs) !== 'number');
      }),
  },
  {
    reason: 'the engine adds whole numbers above 2^53 to doubles in doubles; MongoDB rounds the exact sum',
    applies: ({ docs, stages, own, theirs }) =>
      uses(stages, '$sum') &&
      typeof own !== 'number' &&
      typeof theirs !== 'number' &&
      [...docs, ...stages].some((doc) => some(doc, isBeyondDoubles)),
  },
  {
    reason: 'the engine adds numbers with halves to a date before it rounds; MongoDB rounds each away from zero',
    applies: ({ docs, stages, own, theirs }) =>
      uses(stages, '$add') &&
      typeof own !== 'number' &&
      typeof theirs !== 'number' &&
      [...docs, ...stages].some((doc) => some(doc, isHalf)) &&
      [...own, ...theirs].some((doc) => some(doc, (value) => value instanceof Date)),
  },
  {
    reason: 'the engine leaves a sum of int32 in int64 that was too wide for int32 on the way; MongoDB makes int32 of what fits',
    applies: ({ own, theirs, stages }) =>
      uses(stages, '$add') && typeof own !== 'number' && typeof theirs !== 'number' && equals([...own], [...theirs]),
  },
  {
    reason: 'of several things wrong the engine reports that of the earlier stage, MongoDB that of the first document',
    applies: ({ own, theirs, docs, stages }) =>
      typeof own === 'number' &&
      typeof theirs === 'number' &&
      own !== theirs &&
      docs.some((doc) => ownOutcome(stages, [doc], docs) === theirs),
  },
  {
    reason: 'a date beyond those of JavaScript is an overflow here, and cannot be read in an answer of the engine',
    applies: ({ own, theirs, stages }) => own === 15 && theirs === 22 && uses(stages, '$add'),
  },
  {
    reason:
      'the order of a union is open, which shows where a later stage takes some, and which of several equal numbers it keeps',
    applies: ({ own, theirs, stages }) =>
      uses(stages, '$setUnion') &&
      typeof own !== 'number' &&
      typeof theirs !== 'number' &&
      ((uses(stages, '$unwind') && uses(stages, '$limit')) || equals(withoutOrder([...own]), withoutOrder([...theirs]))),
  },
  {
    reason: 'the engine sorts as it does in a find, which shows where a later stage takes documents by their order',
    applies: ({ docs, stages }) =>
      stages.some((stage, i) => {
        const sort = stage.get('$sort');
        return (
          isDoc(sort) &&
          sort.size > 1 &&
          uses(stages.slice(i + 1), '$limit', '$group') &&
          sortDifferences.some((known) => known.applies({ docs: [...docs, ...stages], sort }))
        );
      }),
  },
  {
    reason: 'the engine meets an error in a constant expression when it comes to it, MongoDB before all documents',
    applies: ({ own, theirs, stages }) =>
      typeof own === 'number' && own !== theirs && codeOf(() => compilePipeline(stages, { collection: () => [] })) === own,
  },
];

/** The result of this package's pipeline, or its error code. Joins find all documents. */
function ownOutcome(stages: readonly Doc[], docs: readonly Doc[], all = docs): unknown {
  return codeOf(() => [...present(compilePipeline(stages, { collection: () => all }).run(docs))]);
}

/** True if a stage or an operator occurs anywhere. */
function uses(stages: readonly Doc[], ...names: string[]): boolean {
  return stages.some((stage) => some(stage, (value) => isDoc(value) && names.some((name) => value.has(name))));
}

/** Sorts all arrays, and all fields by name. */
function withoutOrder(value: Value): Value {
  if (Array.isArray(value)) return value.map(withoutOrder).sort(compare);
  if (!isDoc(value)) return value;
  return new Map([...value].sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, field]) => [name, withoutOrder(field)]));
}

function isNaNumber(value: Value): boolean {
  return value instanceof Double && Number.isNaN(value.value);
}

/** True if an array filter compares a field of the elements with null. */
function asksForNullInside(filter: Doc): boolean {
  return [...filter].some(([path, condition]) => path.includes('.') && some(condition, (value) => value === null));
}

/** True if a condition negates, tests the array as a whole, or combines several operators. */
function negatesOrCombines(value: Value): boolean {
  const operators = isDoc(value) ? [...value.keys()].filter((name) => name.startsWith('$')) : [];
  return operators.length > 1 || operators.some((name) => ['$not', '$ne', '$nin', '$nor', '$size'].includes(name));
}

/** True if an `$elemMatch` with a range matches an element without the named fields. */
function comparesMissing(value: Value): boolean {
  const inner = isDoc(value) ? value.get('$elemMatch') : undefined;
  if (!isDoc(inner) || [...inner.keys()].some((name) => name.startsWith('$'))) return false;
  const compares = some(
    inner,
    (condition) => isDoc(condition) && ['$gt', '$gte', '$lt', '$lte'].some((name) => condition.has(name)),
  );
  return compares && compileFilter(inner).matches(new Map());
}

function isHalf(value: Value): boolean {
  return value instanceof Double && Math.abs(value.value % 1) === 0.5;
}

function isBeyondDoubles(value: Value): boolean {
  return value instanceof Long && BigInt(value.toNumber()) !== value.toBigInt();
}

function fieldsOf(update: Doc, operator: string): string[] {
  const fields = update.get(operator);
  return isDoc(fields) ? [...fields.keys()] : [];
}

function isEmptyEach(value: Value): boolean {
  const each = isDoc(value) ? value.get('$each') : undefined;
  if (!Array.isArray(each)) return false;
  return each.length === 0 || equals((value as Doc).get('$slice'), new Int32(0));
}

function isNestedArray(value: Value): boolean {
  return Array.isArray(value) && value.some(Array.isArray);
}

/** True if any nested value passes a test. */
function some(value: Value, test: (value: Value) => boolean): boolean {
  if (test(value)) return true;
  if (Array.isArray(value)) return value.some((item) => some(item, test));
  return isDoc(value) && [...value.values()].some((item) => some(item, test));
}
