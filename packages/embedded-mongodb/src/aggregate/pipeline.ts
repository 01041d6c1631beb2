import { DatabaseError, typeMismatch } from '../values/errors.ts';
import { isDoc, type Value } from '../values/value.ts';
import { flow, limitOf } from './stages/flow.ts';
import { group } from './stages/grouping.ts';
import { lookup } from './stages/lookup.ts';
import { shaping } from './stages/shaping.ts';
import type { Docs, PipelineContext, Stage, StageCompiler } from './stages/stage.ts';

/**
 * A compiled pipeline. It is lazy: it reads an input document only when an output document is
 * requested.
 */
type Pipeline = {
  run(input: Docs): Docs;
};

/** Compiles an aggregation pipeline. */
export function compilePipeline(stages: readonly Value[], context: PipelineContext): Pipeline {
  const compiled = stages.map((stage, i) => compileStage(stage, { ...context, limit: limitOf(stages[i + 1]) }));
  return { run: (input) => compiled.reduce((docs, stage) => stage(docs), input) };
}

const compilers: ReadonlyMap<string, StageCompiler> = new Map(
  Object.entries({ ...flow, ...shaping, $group: group, $lookup: lookup }),
);

function compileStage(stage: Value, context: Parameters<StageCompiler>[1]): Stage {
  if (!isDoc(stage)) throw typeMismatch("Each element of the 'pipeline' array must be an object");
  const [[name, spec] = ['', null], other] = stage;
  if (name === '' || other !== undefined)
    throw new DatabaseError(40323, 'A pipeline stage specification object must contain exactly one field.');
  const compiler = compilers.get(name);
  if (compiler === undefined) throw new DatabaseError(40324, `Unrecognized pipeline stage name: '${name}'`);
  return compiler(spec, context);
}
