import { compileReplaceWith } from '../aggregate/stages/shaping.ts';
import type { Context } from '../context.ts';
import { compileAddFields, type Transform } from '../project/projection.ts';
import { DatabaseError, typeMismatch } from '../values/errors.ts';
import { isDoc, type Value } from '../values/value.ts';

/** Compiles an update that is a pipeline: the stages that change one document by itself. */
export function compilePipelineUpdate(stages: readonly Value[], context: Context): Transform {
  const transforms = stages.map((stage) => compileStage(stage, context));
  return (doc) => transforms.reduce((result, transform) => transform(result), doc);
}

function compileStage(stage: Value, context: Context): Transform {
  if (!isDoc(stage)) throw typeMismatch("Each element of the 'pipeline' array must be an object");
  const [[name, spec] = ['', null], other] = stage;
  if (name === '' || other !== undefined)
    throw new DatabaseError(40323, 'A pipeline stage specification object must contain exactly one field.');
  if (name === '$set') return compileAddFields(spec, context);
  if (name === '$replaceWith') return compileReplaceWith(spec, context);
  throw new DatabaseError(72, `${name} is not allowed to be used within an update`);
}
