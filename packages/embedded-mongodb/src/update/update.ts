import { compileReplaceWith } from '../aggregate/stages/shaping.ts';
import type { Context } from '../context.ts';
import type { Filter } from '../match/filter.ts';
import { compileAddFields, type Transform } from '../project/projection.ts';
import { DatabaseError, failedToParse, immutableField, typeMismatch } from '../values/errors.ts';
import { identical } from '../values/identical.ts';
import { idFirst } from '../values/identity.ts';
import { type Doc, isDoc, type Maybe, typeName, type Value } from '../values/value.ts';
import { compileArrayFilters } from './array-filters.ts';
import { arrayOperators } from './arrays.ts';
import { type ModifierMaker, valueOperators } from './operators.ts';
import { applyRaw } from './raw.ts';
import { addModifier, applyTree, type Run, type UpdateNode } from './tree.ts';

/** Options of an update. */
export type UpdateOptions = Context & {
  readonly arrayFilters?: readonly Value[] | undefined;
};

/** A compiled update. */
export type Update = {
  readonly kind: 'operators' | 'replacement' | 'pipeline';
  /**
   * Returns the new document, without changing `doc`. `modified` is false if both are bitwise
   * identical.
   */
  apply(doc: Doc): { doc: Doc; modified: boolean };
  /**
   * Applies the update to an encoded document. Returns the same buffer if it is not modified, or
   * `undefined` if it must be decoded.
   */
  applyRaw?(document: Buffer): Buffer | undefined;
};

/** Compiles an update: operators, a replacement document, or a pipeline. */
export function compileUpdate(update: Doc | readonly Value[], options: UpdateOptions = {}): Update {
  if (!(update instanceof Map)) {
    refuseArrayFilters(options, 'pipeline-style');
    const change = compilePipelineUpdate(update, options);
    return guarded('pipeline', (doc) => withId(doc.get('_id'), change(doc)));
  }
  const [first] = update.keys();
  if (first?.startsWith('$')) return operatorUpdate(update, options);
  refuseArrayFilters(options, 'replacement-style');
  return guarded('replacement', replacement(update));
}

function refuseArrayFilters({ arrayFilters = [] }: UpdateOptions, style: string): void {
  if (arrayFilters.length > 0) throw failedToParse(`arrayFilters may not be specified for ${style} updates`);
}

/**
 * Adds checks that hold for all kinds of updates: `_id` must not change, and stays the first field.
 */
function guarded(kind: Update['kind'], change: (doc: Doc) => Doc): Update {
  return {
    kind,
    apply(doc) {
      const changed = change(doc);
      if (changed === doc) return { doc, modified: false };
      if (doc.has('_id') && !identical(doc.get('_id'), changed.get('_id'))) throw idChanged(kind);
      if (identical(doc, changed)) return { doc, modified: false };
      return { doc: idFirst(changed), modified: true };
    },
  };
}

function idChanged(kind: Update['kind']): DatabaseError {
  if (kind === 'operators') return immutableField('_id');
  return new DatabaseError(66, "After applying the update, the (immutable) field '_id' was found to have been altered");
}

function replacement(update: Doc): (doc: Doc) => Doc {
  const operator = [...update.keys()].find((name) => name.startsWith('$'));
  if (operator !== undefined)
    throw new DatabaseError(52, `The dollar ($) prefixed field '${operator}' is not allowed in a replacement document.`);
  return (doc) => withId(doc.get('_id'), update);
}

/** Keeps the old document's `_id` unless the new document has one. */
function withId(id: Maybe, doc: Doc): Doc {
  return id === undefined || doc.has('_id') ? doc : new Map([['_id', id], ...doc]);
}

function operatorUpdate(update: Doc, options: UpdateOptions): Update {
  const root: UpdateNode = { kind: 'object', children: new Map() };
  const paths: string[] = [];
  for (const [operator, operands] of update) {
    const make = makerOf(operator, operands);
    for (const [path, operand] of operands as Doc) {
      paths.push(path);
      addModifier(root, path, make(operand, path));
    }
  }
  const filters = compileArrayFilters(options.arrayFilters ?? [], paths, options);
  const now = options.now ?? new Date();
  const elementMatches: Run['elementMatches'] = (identifier, element) =>
    (filters.get(identifier) as Filter).matches(new Map([[identifier, element]]));
  return {
    ...guarded('operators', (doc) => applyTree(root, doc, { original: doc, now, elementMatches })),
    applyRaw: (document) => applyRaw(root, document, { original: new Map(), now, elementMatches }),
  };
}

function makerOf(operator: string, operands: Value): ModifierMaker {
  const make = operators.get(operator);
  if (make === undefined) throw failedToParse(`Unknown modifier: ${operator}. Expected a valid update modifier or pipeline.`);
  if (isDoc(operands)) return make;
  throw failedToParse(
    `Modifiers operate on fields but we found type ${typeName(operands)} instead: {${operator}: {<field>: ...}} is expected`,
  );
}

const operators: ReadonlyMap<string, ModifierMaker> = new Map(Object.entries({ ...valueOperators, ...arrayOperators }));

/** Compiles a pipeline update, which may use only stages that transform a single document. */
function compilePipelineUpdate(stages: readonly Value[], context: Context): Transform {
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
