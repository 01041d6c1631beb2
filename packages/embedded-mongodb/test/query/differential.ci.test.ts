import { Int32 } from 'bson';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { compare } from '../../src/values/compare.ts';
import { type Doc, isDoc, type Value } from '../../src/values/value.ts';
import { testSeed } from '../support/random.ts';
import {
  collections,
  doc,
  documents,
  filteredUpdates,
  filters,
  findProjections,
  projections,
  sorts,
  updates,
} from './arbitraries.ts';
import { expressionFamilies, pipelines } from './arbitrary-expressions.ts';
import {
  filterDifferences,
  pipelineDifferences,
  projectionDifferences,
  sortDifferences,
  updateDifferences,
} from './known-differences.ts';
import { type Outcome, ownOracle, serverOracle } from './oracle.ts';

const uri = process.env.DIFFERENTIAL_URI ?? '';
const numRuns = Number(process.env.DIFFERENTIAL_CASES ?? 300);
const parameters = { numRuns, endOnFailure: false };
const noFilter: Doc = new Map();

describe.runIf(uri !== '')(
  `the functions beside the engine, in ${numRuns} cases each with SEED=${testSeed}`,
  { timeout: 3_600_000 },
  () => {
    const own = ownOracle();
    let engine: Awaited<ReturnType<typeof serverOracle>>;

    beforeAll(async () => {
      engine = await serverOracle(uri, `query_differential_${process.pid}`);
    });
    afterAll(async () => {
      await engine.close();
    });

    it('the functions answer as the engine does on filters', async () => {
      await fc.assert(
        fc.asyncProperty(collections, filters, async (docs, filter) => {
          const [ours, theirs] = await both(docs, { filter });
          if (!filterDifferences.some((known) => known.applies({ docs, filter }))) expect(byId(ours)).toEqual(byId(theirs));
        }),
        parameters,
      );
    });

    it('the functions answer as the engine does on projections', async () => {
      await fc.assert(
        fc.asyncProperty(collections, projections, async (docs, projection) => {
          const [ours, theirs] = await both(docs, { filter: noFilter, projection });
          expect(byId(ours)).toEqual(byId(theirs));
        }),
        parameters,
      );
    });

    it('the functions answer as the engine does on projections of a find, but for the order of fields', async () => {
      await fc.assert(
        fc.asyncProperty(collections, findProjections, async (docs, projection) => {
          const [ours, theirs] = (await both(docs, { filter: noFilter, projection })).map(docsOrCode) as [
            Doc[] | number,
            Doc[] | number,
          ];
          const known = projectionDifferences.some((difference) => difference.applies({ projection }));
          const refused = [ours, theirs].every((outcome) => typeof outcome === 'number' && refusedProjections.has(outcome));
          if (!known && !refused) expect(unorderedSet(ours)).toEqual(unorderedSet(theirs));
        }),
        parameters,
      );
    });

    it('the functions answer as the engine does on sorts', async () => {
      await fc.assert(
        fc.asyncProperty(collections, sorts, async (docs, parts) => {
          const sort = new Map(parts).set('_id', new Int32(1));
          const [ours, theirs] = await both(docs, { filter: noFilter, sort });
          if (!sortDifferences.some((known) => known.applies({ docs, sort }))) expect(ours).toEqual(theirs);
        }),
        parameters,
      );
    });

    it('the functions answer as the engine does on updates, but for the order of new fields', async () => {
      await fc.assert(
        fc.asyncProperty(collections, updates, async (docs, update) => {
          const [ours, theirs] = await Promise.all([own.update(docs, update), engine.update(docs, update)]);
          agreeOnUpdates(docs, { update }, ours, theirs);
        }),
        parameters,
      );
    });

    it('the functions answer as the engine does on updates of the elements that a filter finds', async () => {
      await fc.assert(
        fc.asyncProperty(collections, filteredUpdates, async (docs, { update, arrayFilters }) => {
          const [ours, theirs] = await Promise.all([
            own.update(docs, update, arrayFilters),
            engine.update(docs, update, arrayFilters),
          ]);
          agreeOnUpdates(docs, { update, arrayFilters }, ours, theirs);
        }),
        parameters,
      );
    });

    it('the functions answer as the engine does on pipelines, but for the order of new fields', async () => {
      await fc.assert(
        fc.asyncProperty(collections, pipelines, (docs, stages) => agreeOn(docs, stages)),
        parameters,
      );
    });

    it.for(Object.entries(expressionFamilies))('the functions evaluate as the engine does: %s', async ([, expressions]) => {
      await fc.assert(
        fc.asyncProperty(documents, expressions, async (fields, expression) => {
          const stage = doc(['$project', doc(['_id', new Int32(0)], ['result', expression])]);
          await agreeOn([new Map([['_id', new Int32(1)], ...fields])], [stage]);
        }),
        parameters,
      );
    });

    function both(docs: readonly Doc[], question: Parameters<typeof own.find>[1]): Promise<[Outcome, Outcome]> {
      return Promise.all([own.find(docs, question), engine.find(docs, question)]);
    }

    function agreeOnUpdates(
      docs: readonly Doc[],
      question: { update: Doc; arrayFilters?: readonly Doc[] },
      ours: (Doc | number)[],
      theirs: (Doc | number)[],
    ): void {
      docs.forEach((before, i) => {
        const difference = { before, ...question, own: ours[i] as Doc | number, theirs: theirs[i] as Doc | number };
        const known = updateDifferences.some((entry) => entry.applies(difference));
        if (!known) expect(unordered(difference.own)).toEqual(unordered(difference.theirs));
      });
    }

    async function agreeOn(docs: readonly Doc[], stages: Doc[]): Promise<void> {
      const [ours, theirs] = (await Promise.all([own.aggregate(docs, stages, docs), engine.aggregate(docs, stages, docs)])).map(
        docsOrCode,
      ) as [Doc[] | number, Doc[] | number];
      const known = pipelineDifferences.some((difference) => difference.applies({ docs, stages, own: ours, theirs }));
      if (!known) expect(unorderedSet(ours)).toEqual(unorderedSet(theirs));
    }
  },
);

/** The reference engine uses other codes for projections that mix inclusion and exclusion. */
const refusedProjections: ReadonlySet<number> = new Set([31252, 31253, 31254, 31310]);

function docsOrCode(outcome: Outcome): Doc[] | number {
  return 'docs' in outcome ? outcome.docs : outcome.code;
}

function byId(outcome: Outcome): unknown {
  return 'docs' in outcome ? outcome.docs.toSorted((a, b) => compare(a.get('_id'), b.get('_id'))) : outcome;
}

function unorderedSet(docs: readonly Doc[] | number): unknown {
  return typeof docs === 'number' ? docs : docs.map((item) => unordered(item) as Doc).sort(compare);
}

/** Sorts the fields of all documents by name. */
function unordered(value: Value | number): Value | number {
  if (Array.isArray(value)) return value.map((item) => unordered(item) as Value);
  if (!isDoc(value as Value)) return value;
  const fields = [...(value as Doc)].map(([name, field]) => [name, unordered(field) as Value] as const);
  return new Map(fields.sort(([a], [b]) => (a < b ? -1 : 1)));
}
