import type { Context } from '../../context.ts';
import { compileExpression, fieldParts } from '../../expressions/expression.ts';
import type { Operation } from '../../operation.ts';
import { compileAddFields, compileProject, type Transform } from '../../project/projection.ts';
import { DatabaseError } from '../../values/errors.ts';
import { type Doc, isDoc, isNullish, type Maybe, typeName, type Value } from '../../values/value.ts';
import { type Docs, mapping, type Stage, type StageCompiler } from './stage.ts';

/** Stages that transform each document on its own. */
export const shaping: Readonly<Record<string, StageCompiler>> = {
  $project: (spec, context) => mapping(compileProject(spec, context)),
  $set: (spec, context) => mapping(compileAddFields(spec, context)),
  $replaceWith: (spec, context) => mapping(compileReplaceWith(spec, context)),
  $unwind: unwind,
};

export function compileReplaceWith(spec: Value, context: Context): Transform {
  const evaluate = compileExpression(spec, context);
  return (doc) => {
    const result = evaluate(doc);
    if (isDoc(result)) return result;
    throw new DatabaseError(
      40228,
      `'newRoot' expression must evaluate to an object, but resulting value was of type: ${typeName(result)}`,
    );
  };
}

function unwind(spec: Value, { operation }: Context): Stage {
  const options: Doc = isDoc(spec) ? spec : new Map([['path', spec]]);
  for (const name of options.keys())
    if (name !== 'path') throw new DatabaseError(28811, `unrecognized option to $unwind stage: ${name}`);
  const path = options.get('path');
  if (path === undefined) throw new DatabaseError(28812, 'no path specified to $unwind stage');
  if (typeof path !== 'string')
    throw new DatabaseError(
      isDoc(spec) ? 28808 : 15981,
      `expected a string as the path for $unwind stage, got ${typeName(path)}`,
    );
  if (!path.startsWith('$'))
    throw new DatabaseError(28818, `path option to $unwind stage should be prefixed with a '$': ${path}`);
  const parts = fieldParts(path.slice(1));
  return (input) => unwound(input, parts, operation);
}

function* unwound(input: Docs, parts: readonly string[], operation: Operation | undefined): Generator<Doc | undefined> {
  for (const doc of input) {
    const value = doc && nested(doc, parts);
    if (doc === undefined || !Array.isArray(value)) {
      if (doc === undefined || !isNullish(value)) yield doc;
      continue;
    }
    for (const item of value) {
      yield withNested(doc, parts, item);
      if (operation?.isDue()) yield undefined;
    }
  }
}

/** Follows a path through documents, but not into arrays. */
function nested(doc: Doc, parts: readonly string[]): Maybe {
  let value: Maybe = doc;
  for (const part of parts) value = isDoc(value) ? value.get(part) : undefined;
  return value;
}

/** A copy of a document with a nested field set. */
export function withNested(doc: Doc, [name = '', ...rest]: readonly string[], value: Value): Doc {
  const inner = doc.get(name);
  return new Map(doc).set(name, rest.length === 0 ? value : withNested(isDoc(inner) ? inner : new Map(), rest, value));
}
