import { DatabaseError, failedToParse } from '../errors.ts';
import { type Doc, isDoc, type Value } from '../value.ts';
import { graphLookup } from './graph-lookup.ts';
import { lookup } from './lookup.ts';
import { hintsOf } from './lookup-hints.ts';
import { docOf, type Stage, type StageCompiler, type StageContext, stagesOf } from './stage.ts';

/** Stages that bring in documents of other collections, or run pipelines side by side. */
export const JOINS: Readonly<Record<string, StageCompiler>> = {
  $lookup: lookup,
  $graphLookup: graphLookup,
  $unionWith: unionWith,
  $facet: facet,
};

function unionWith(spec: Value, context: StageContext): Stage {
  const options: Doc = isDoc(spec) ? spec : new Map([['coll', spec]]);
  for (const name of options.keys()) {
    if (name !== 'coll' && name !== 'pipeline')
      throw new DatabaseError(40415, `BSON field '$unionWith.${name}' is an unknown field.`);
  }
  const name = options.get('coll');
  if (name === undefined && options.has('pipeline')) {
    const stages = stagesOf(options.get('pipeline'), '$unionWith');
    const [first] = stages;
    if (!isDoc(first) || !first.has('$documents')) {
      throw new DatabaseError(
        9,
        '$unionWith stage without explicit collection must have a pipeline with $documents as first stage',
      );
    }
  } else if (typeof name !== 'string') {
    throw failedToParse('the $unionWith stage specification must be an object or string');
  }
  const stages = options.has('pipeline') ? stagesOf(options.get('pipeline'), '$unionWith') : [];
  const { run } = context.pipeline(stages, context);
  const hint = hintsOf(stages, context.cells ?? {});
  return function* (input) {
    yield* input;
    yield* run(typeof name === 'string' ? context.collection(name, hint()) : []);
  };
}

const NOT_IN_FACET: ReadonlySet<string> = new Set([
  '$facet',
  '$out',
  '$merge',
  '$geoNear',
  '$collStats',
  '$indexStats',
  '$documents',
  '$search',
]);

function facet(spec: Value, context: StageContext): Stage {
  const options = docOf(spec, '$facet', 40169);
  if (options.size === 0) throw new DatabaseError(40169, 'the $facet specification must be a non-empty object');
  const pipelines = Array.from(options, ([name, stages]) => {
    if (name.startsWith('$')) throw new DatabaseError(16410, "FieldPath field names may not start with '$'.");
    if (name.includes('.')) throw new DatabaseError(16412, "FieldPath field names may not contain '.'.");
    if (!Array.isArray(stages)) throw new DatabaseError(40170, `arguments to $facet must be arrays, ${name} is not`);
    for (const stage of stages) {
      if (!isDoc(stage))
        throw new DatabaseError(40171, `elements of arrays in $facet spec must be non-empty objects, ${name} has others`);
      const [first = ''] = stage.keys();
      if (NOT_IN_FACET.has(first)) throw new DatabaseError(40600, `${first} is not allowed to be used within a $facet stage`);
    }
    return { name, pipeline: context.pipeline(stages, context) };
  });
  return function* (input) {
    const docs = [...input];
    yield new Map(pipelines.map(({ name, pipeline }) => [name, [...pipeline.run(docs)]]));
  };
}
