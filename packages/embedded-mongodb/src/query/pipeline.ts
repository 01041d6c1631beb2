import { DatabaseError, typeMismatch } from './errors.ts';
import { BUCKETS } from './stages/buckets.ts';
import { FLOW, limitOf } from './stages/flow.ts';
import { GROUPING } from './stages/grouping.ts';
import { JOINS } from './stages/joins.ts';
import { SHAPING } from './stages/shaping.ts';
import type { PipelineContext, Stage, StageCompiler } from './stages/stage.ts';
import { WINDOWS } from './stages/windows.ts';
import { type Doc, isDoc, type Value } from './value.ts';

/** A pipeline, compiled: it takes documents as they come and gives its own as they are asked for. */
export interface Pipeline {
  run(input: Iterable<Doc>): Iterable<Doc>;
}

/** Compiles an aggregation pipeline without `$out` and `$merge`, which `splitOutput` takes off. */
export function compilePipeline(stages: readonly Value[], context: PipelineContext): Pipeline {
  const compiled = stages.map((stage, i) => compileStage(stage, i, stages, context));
  return { run: (input) => compiled.reduce((docs, stage) => stage(docs), input) };
}

/** Runs a pipeline over documents. */
export function runPipeline(stages: readonly Value[], input: Iterable<Doc>, context: PipelineContext): Iterable<Doc> {
  return compilePipeline(stages, context).run(input);
}

const STAGES: ReadonlyMap<string, StageCompiler> = new Map(
  Object.entries({ ...BUCKETS, ...FLOW, ...GROUPING, ...JOINS, ...SHAPING, ...WINDOWS }),
);

/** Stages that MongoDB has and this does not: refused by name rather than as unknown. */
const UNSUPPORTED: ReadonlySet<string> = new Set([
  '$changeStream',
  '$changeStreamSplitLargeEvent',
  '$collStats',
  '$currentOp',
  '$densify',
  '$fill',
  '$geoNear',
  '$indexStats',
  '$listLocalSessions',
  '$listSampledQueries',
  '$listSearchIndexes',
  '$listSessions',
  '$planCacheStats',
  '$search',
  '$searchMeta',
  '$shardedDataDistribution',
  '$vectorSearch',
]);

function compileStage(stage: Value, index: number, stages: readonly Value[], context: PipelineContext): Stage {
  if (!isDoc(stage)) throw typeMismatch("Each element of the 'pipeline' array must be an object");
  const [entry, other] = stage;
  if (entry === undefined || other !== undefined) {
    throw new DatabaseError(40323, 'A pipeline stage specification object must contain exactly one field.');
  }
  const [name, spec] = entry;
  const compiler = STAGES.get(name);
  if (compiler !== undefined) {
    if (FIRST_ONLY.has(name) && index > 0)
      throw new DatabaseError(40602, `${name} is only valid as the first stage in a pipeline.`);
    const limit = limitOf(stages[index + 1]);
    return compiler(spec, { ...context, limit, pipeline: compilePipeline }, name);
  }
  if (name === '$out' || name === '$merge') {
    if (index < stages.length - 1) throw new DatabaseError(40601, `${name} can only be the final stage in the pipeline`);
    throw new DatabaseError(51047, `${name} is not allowed within a sub-pipeline`);
  }
  if (UNSUPPORTED.has(name)) throw new DatabaseError(115, `The stage ${name} is not supported`);
  throw new DatabaseError(40324, `Unrecognized pipeline stage name: '${name}'`);
}

const FIRST_ONLY: ReadonlySet<string> = new Set(['$documents']);
