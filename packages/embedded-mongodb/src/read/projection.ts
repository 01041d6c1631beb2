import type { Context } from '../context.ts';
import { compileProjection, type Transform } from '../project/projection.ts';
import { docArg } from '../protocol/args.ts';
import type { Doc } from '../values/value.ts';

/** Compiles the projection argument of a command; `undefined` if it keeps all fields. */
export function projectionArg(args: Doc, name: string, context: Context): Transform | undefined {
  const spec = docArg(args, name);
  return spec === undefined || spec.size === 0 ? undefined : compileProjection(spec, context);
}
