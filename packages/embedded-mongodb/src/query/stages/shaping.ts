import { Long } from 'bson';
import { DatabaseError } from '../errors.ts';
import { compileExpression, compilerFor, fieldParts } from '../expression.ts';
import type { Cell, Maybe } from '../expressions/operator.ts';
import { isNullish } from '../expressions/operator.ts';
import { compileAddFields, compileProject, compileUnset, type Transform } from '../project.ts';
import { type Doc, isDoc, typeName, type Value } from '../value.ts';
import { checkNames, docOf, mapping, type Stage, type StageCompiler, type StageContext } from './stage.ts';

/** Stages that change each document by itself. */
export const SHAPING: Readonly<Record<string, StageCompiler>> = {
  $project: (spec, context) => mapping(compileProject(spec, context)),
  $addFields: (spec, context, name) => mapping(compileAddFields(spec, context, name)),
  $set: (spec, context, name) => mapping(compileAddFields(spec, context, name)),
  $unset: (spec) => mapping(compileUnset(spec)),
  $replaceRoot: (spec, context) => mapping(compileReplaceRoot(spec, context)),
  $replaceWith: (spec, context) => mapping(compileReplaceWith(spec, context)),
  $unwind: unwind,
  $redact: redact,
};

/** Compiles `$replaceRoot`. */
export function compileReplaceRoot(spec: Value, context: Parameters<typeof compileExpression>[1]): Transform {
  const options = docOf(spec, '$replaceRoot', 40229);
  checkNames(options, ['newRoot'], '$replaceRoot', 40415);
  const root = options.get('newRoot');
  if (root === undefined) throw new DatabaseError(40414, "BSON field '$replaceRoot.newRoot' is missing but a required field");
  return compileReplaceWith(root, context);
}

/** Compiles `$replaceWith`. */
export function compileReplaceWith(spec: Value, context: Parameters<typeof compileExpression>[1]): Transform {
  const evaluate = compileExpression(spec, context);
  return (doc) => {
    const result = evaluate(doc);
    if (!isDoc(result)) {
      throw new DatabaseError(
        40228,
        `'newRoot' expression must evaluate to an object, but resulting value was of type: ${typeName(result)}`,
      );
    }
    return result;
  };
}

function unwind(spec: Value): Stage {
  const options: Doc = isDoc(spec) ? spec : new Map([['path', spec]]);
  for (const name of options.keys()) {
    if (name !== 'path' && name !== 'includeArrayIndex' && name !== 'preserveNullAndEmptyArrays') {
      throw new DatabaseError(28811, `unrecognized option to $unwind stage: ${name}`);
    }
  }
  const path = options.get('path');
  if (path === undefined) throw new DatabaseError(28812, 'no path specified to $unwind stage');
  if (typeof path !== 'string')
    throw new DatabaseError(
      isDoc(spec) ? 28808 : 15981,
      `expected a string as the path for $unwind stage, got ${typeName(path)}`,
    );
  if (!path.startsWith('$'))
    throw new DatabaseError(28818, `path option to $unwind stage should be prefixed with a '$': ${path}`);
  const preserves = options.get('preserveNullAndEmptyArrays') ?? false;
  if (typeof preserves !== 'boolean')
    throw new DatabaseError(28809, 'expected a boolean for the preserveNullAndEmptyArrays option to $unwind stage');
  const index = options.get('includeArrayIndex');
  if (index !== undefined && (typeof index !== 'string' || index === ''))
    throw new DatabaseError(28810, 'expected a non-empty string for the includeArrayIndex option to $unwind stage');
  if (index?.startsWith('$'))
    throw new DatabaseError(28822, `includeArrayIndex option to $unwind stage should not be prefixed with a '$': ${index}`);
  return unwinding(fieldParts(path.slice(1)), index === undefined ? undefined : fieldParts(index), preserves);
}

function unwinding(parts: readonly string[], indexParts: readonly string[] | undefined, preserves: boolean): Stage {
  const withIndex = (doc: Doc, i: Value) => (indexParts === undefined ? doc : withNested(doc, indexParts, i));
  return function* (input) {
    for (const doc of input) {
      const value = nested(doc, parts);
      if (Array.isArray(value) && value.length > 0) {
        for (const [i, item] of value.entries()) yield withIndex(withNested(doc, parts, item), Long.fromNumber(i));
      } else if (Array.isArray(value)) {
        if (preserves) yield withIndex(withNested(doc, parts, undefined), null);
      } else if (preserves || !isNullish(value)) {
        yield withIndex(doc, null);
      }
    }
  };
}

/** Follows a path through documents only. */
function nested(doc: Doc, parts: readonly string[]): Maybe {
  let value: Maybe = doc;
  for (const part of parts) value = isDoc(value) ? value.get(part) : undefined;
  return value;
}

/** A copy of a document with a nested field set, or taken away. */
export function withNested(doc: Doc, [name = '', ...rest]: readonly string[], value: Maybe): Doc {
  const inner = doc.get(name);
  const set = rest.length === 0 ? value : withNested(isDoc(inner) ? inner : new Map(), rest, value);
  const copy = new Map(doc);
  if (set === undefined) copy.delete(name);
  else copy.set(name, set);
  return copy;
}

function redact(spec: Value, context: StageContext): Stage {
  const decisions = { DESCEND: 'descend', PRUNE: 'prune', KEEP: 'keep' };
  const current: Cell = { value: undefined };
  const cells = Object.fromEntries(Object.entries(decisions).map(([name, value]) => [name, { value }]));
  const { evaluate } = compilerFor(context, { ...cells, CURRENT: current }).compile(spec);
  const redacted = (doc: Doc, root: Doc): Doc | undefined => {
    current.value = doc;
    const decision = evaluate(root);
    if (decision === decisions.KEEP) return doc;
    if (decision === decisions.PRUNE) return undefined;
    if (decision !== decisions.DESCEND) throw new DatabaseError(17053, '$redact must be one of $$DESCEND, $$PRUNE, or $$KEEP');
    const result: Doc = new Map();
    for (const [name, value] of doc) {
      const kept = redactedValue(value, root);
      if (kept !== undefined) result.set(name, kept);
    }
    return result;
  };
  const redactedValue = (value: Value, root: Doc): Maybe => {
    if (isDoc(value)) return redacted(value, root);
    return Array.isArray(value) ? value.map((item) => redactedValue(item, root)).filter((item) => item !== undefined) : value;
  };
  return function* (input) {
    for (const doc of input) {
      const result = redacted(doc, doc);
      if (result !== undefined) yield result;
    }
  };
}
