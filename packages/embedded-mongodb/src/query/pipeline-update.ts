import type { Context } from './context.ts';
import { DatabaseError, typeMismatch } from './errors.ts';
import { compileAddFields, compileProject, compileUnset, type Transform } from './project.ts';
import { compileReplaceRoot, compileReplaceWith } from './stages/shaping.ts';
import { type Doc, isDoc, type Value } from './value.ts';

/** Compiles an update that is a pipeline: the stages that change one document by itself. */
export function compilePipelineUpdate(stages: readonly Value[], context: Context): Transform {
  const transforms = stages.map((stage) => {
    if (!isDoc(stage)) throw typeMismatch("Each element of the 'pipeline' array must be an object");
    const [entry, other] = stage;
    if (entry === undefined || other !== undefined) {
      throw new DatabaseError(40323, 'A pipeline stage specification object must contain exactly one field.');
    }
    return compileStage(...entry, context);
  });
  return (doc: Doc) => transforms.reduce((result, transform) => transform(result), doc);
}

function compileStage(name: string, spec: Value, context: Context): Transform {
  switch (name) {
    case '$set':
    case '$addFields':
      return compileAddFields(spec, context, name);
    case '$unset':
      return compileUnset(spec);
    case '$project':
      return compileProject(spec, context);
    case '$replaceRoot':
      return compileReplaceRoot(spec, context);
    case '$replaceWith':
      return compileReplaceWith(spec, context);
  }
  throw new DatabaseError(72, `${name} is not allowed to be used within an update`);
}
