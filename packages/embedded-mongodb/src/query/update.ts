import { compileArrayFilters } from './array-filters.ts';
import type { Context } from './context.ts';
import { badValue, DatabaseError, failedToParse, immutableField } from './errors.ts';
import { identical } from './identical.ts';
import { idFirst } from './identity.ts';
import type { Filter } from './match.ts';
import { compilePipelineUpdate } from './pipeline-update.ts';
import { ARRAY_OPERATORS } from './update-arrays.ts';
import { renamed, VALUE_OPERATORS } from './update-operators.ts';
import { addModifier, applyTree, type Run, type UpdateNode } from './update-tree.ts';
import { type Doc, isDoc, typeName, type Value } from './value.ts';

/** What goes with an update. */
export interface UpdateOptions extends Context {
  readonly arrayFilters?: readonly Value[];
}

/** What is particular to one document. */
export interface ApplyOptions {
  /** The index that `$` stands for: `positionOf` of the filter. */
  readonly positional?: number | undefined;
  /** Whether the document is about to be inserted by an upsert. */
  readonly isInsert?: boolean;
}

/** An update, compiled once and applied to many documents. */
export interface Update {
  readonly kind: 'operators' | 'replacement' | 'pipeline';
  /** Whether positions matter, so that the caller need not ask the filter for them otherwise. */
  readonly needsPosition: boolean;
  /** Gives the new document; the one passed in stays as it is. Not modified: the new document is the same to the bit. */
  apply(doc: Doc, options?: ApplyOptions): { doc: Doc; modified: boolean };
}

/** Compiles an update: operators, a replacement document, or a pipeline. */
export function compileUpdate(update: Doc | readonly Value[], options: UpdateOptions = {}): Update {
  if (!(update instanceof Map)) {
    if (options.arrayFilters !== undefined && options.arrayFilters.length > 0) {
      throw failedToParse('arrayFilters may not be specified for pipeline-syle updates');
    }
    const change = compilePipelineUpdate(update, options);
    return guarded('pipeline', false, (doc) => withId(doc.get('_id'), change(doc)));
  }
  const [first] = update.keys();
  if (first?.startsWith('$')) return operatorUpdate(update, options);
  if (options.arrayFilters !== undefined && options.arrayFilters.length > 0) {
    throw failedToParse('arrayFilters may not be specified for replacement-style updates');
  }
  return guarded('replacement', false, replacement(update));
}

type Apply = (doc: Doc, options: ApplyOptions) => Doc;

/** Puts around every kind of update what holds for all: `_id` stays what it is and stands first. */
function guarded(kind: Update['kind'], needsPosition: boolean, change: Apply): Update {
  return {
    kind,
    needsPosition,
    apply(doc, options = {}) {
      const changed = change(doc, options);
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

function replacement(update: Doc): Apply {
  for (const name of update.keys()) {
    if (name.startsWith('$')) {
      throw new DatabaseError(
        52,
        `The dollar ($) prefixed field '${name}' in '${name}' is not allowed in the context of an update's replacement document. Consider using an aggregation pipeline with $replaceWith.`,
      );
    }
  }
  return (doc) => withId(doc.get('_id'), update);
}

/** A whole new document keeps the old one's `_id` unless it says otherwise. */
function withId(id: Value | undefined, doc: Doc): Doc {
  return id === undefined || doc.has('_id') ? doc : new Map([['_id', id], ...doc]);
}

function operatorUpdate(update: Doc, options: UpdateOptions): Update {
  const root: UpdateNode = { kind: 'object', children: new Map() };
  const paths: string[] = [];
  for (const [operator, operands] of update) {
    for (const [path, operand] of operandsOf(operator, operands)) {
      paths.push(path);
      addOperator(root, operator, path, operand, options);
    }
  }
  const filters = compileArrayFilters(options.arrayFilters ?? [], paths, options);
  const now = options.now ?? new Date();
  const elementMatches: Run['elementMatches'] = (identifier, element) =>
    (filters.get(identifier) as Filter).matches(new Map([[identifier, element]]));
  return guarded(
    'operators',
    paths.some((path) => path.includes('.$')),
    (doc, { positional, isInsert = false }) => applyTree(root, doc, { original: doc, isInsert, positional, now, elementMatches }),
  );
}

function operandsOf(operator: string, operands: Value): Doc {
  if (operator !== '$rename' && makerOf(operator) === undefined) {
    throw failedToParse(
      `Unknown modifier: ${operator}. Expected a valid update modifier or pipeline-style update specified as an array`,
    );
  }
  if (!isDoc(operands)) {
    throw failedToParse(
      `Modifiers operate on fields but we found type ${typeName(operands)} instead. For example: {$mod: {<field>: ...}} not {${operator}: ...}`,
    );
  }
  return operands;
}

function makerOf(operator: string) {
  if (Object.hasOwn(VALUE_OPERATORS, operator)) return VALUE_OPERATORS[operator];
  return Object.hasOwn(ARRAY_OPERATORS, operator) ? ARRAY_OPERATORS[operator] : undefined;
}

function addOperator(root: UpdateNode, operator: string, path: string, operand: Value, { texts }: UpdateOptions): void {
  if (operator !== '$rename') {
    addModifier(root, path, (makerOf(operator) as NonNullable<ReturnType<typeof makerOf>>)(operand, path, texts));
    return;
  }
  if (typeof operand !== 'string') throw badValue(`The 'to' field for $rename must be a string: ${path}: ${typeName(operand)}`);
  for (const [role, name] of [
    ['source', path],
    ['destination', operand],
  ] as const) {
    if (name.split('.').includes('$')) throw badValue(`The ${role} field for $rename may not be dynamic: ${name}`);
    if (name.includes('\0')) throw badValue("The 'to' field for $rename cannot contain an embedded null byte");
  }
  if (path === operand) throw badValue(`The source and target field for $rename must differ: ${path}: "${operand}"`);
  if (path.startsWith(`${operand}.`) || operand.startsWith(`${path}.`)) {
    throw badValue(`The source and target field for $rename must not be on the same path: ${path}: "${operand}"`);
  }
  const { source, destination } = renamed(path, operand);
  addModifier(root, path, source);
  addModifier(root, operand, destination);
}
