import { compileProjection, type Transform } from '../query/project.ts';
import type { FindProjection } from '../query/project-find.ts';
import type { Doc } from '../query/value.ts';
import { docArg } from './args.ts';

/** Makes what a client sees of a document; `undefined`: all of it. */
export function projectionArg(args: Doc, name: string, context: FindProjection): Transform | undefined {
  const spec = docArg(args, name);
  return spec === undefined || spec.size === 0 ? undefined : compileProjection(spec, context);
}
