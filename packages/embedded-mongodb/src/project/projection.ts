import type { Context } from '../context.ts';
import { compilerFor, isExpressionOperator } from '../expressions/expression.ts';
import type { Compiler, Expression } from '../expressions/operator.ts';
import { compileElementMatch } from '../match/filter.ts';
import { DatabaseError } from '../values/errors.ts';
import { isFlag, isTrue } from '../values/truth.ts';
import { type Doc, isDoc, typeName, type Value } from '../values/value.ts';
import { addLeaf, applyAdditions, applyExclusion, applyInclusion, type ProjectionNode, projectionRoot } from './tree.ts';

/** Maps one document to another. */
export type Transform = (doc: Doc) => Doc;

/** Compiles the projection of a find. */
export function compileProjection(spec: Doc, context: Context = {}): Transform {
  return spec.size === 0 ? (doc) => doc : compile(spec, context, true);
}

/** Compiles the aggregation stage `$project`. */
export function compileProject(spec: Value, context: Context = {}): Transform {
  if (!isDoc(spec)) throw new DatabaseError(15969, '$project specification must be an object');
  if (spec.size === 0)
    throw new DatabaseError(51272, 'Invalid $project :: caused by :: projection specification must have at least one field');
  return compile(spec, context, false);
}

/** Compiles the aggregation stage `$set`. */
export function compileAddFields(spec: Value, context: Context = {}): Transform {
  if (!isDoc(spec)) throw new DatabaseError(40272, `$set specification stage must be an object, got ${String(spec)}`);
  const root = projectionRoot();
  addComputed(root, spec, '', compilerFor(context));
  return (doc) => applyAdditions(root, doc, doc);
}

type Builder = {
  readonly root: ProjectionNode;
  readonly compiler: Compiler;
  readonly find: Context | undefined;
  /** `$elemMatch` makes a projection inclusive if no other field decides that. */
  hasElementMatch: boolean;
  mode: Mode | undefined;
};

type Mode = 'inclusion' | 'exclusion';

function compile(spec: Doc, context: Context, isFind: boolean): Transform {
  const root = projectionRoot();
  const find = isFind ? context : undefined;
  const builder: Builder = {
    root,
    compiler: compilerFor(context),
    find,
    hasElementMatch: false,
    mode: undefined,
  };
  const id = spec.get('_id');
  const idIsFlag = id !== undefined && isFlag(id);
  for (const [name, value] of spec) if (name !== '_id' || !idIsFlag) addField(builder, name, value);
  const keepsId = !idIsFlag || isTrue(id);
  const mode = builder.mode ?? ((idIsFlag && keepsId) || builder.hasElementMatch ? 'inclusion' : 'exclusion');
  if (mode === 'inclusion' && keepsId && !root.children.has('_id')) root.children.set('_id', { kind: 'include' });
  if (mode === 'exclusion' && !keepsId) root.children.set('_id', { kind: 'exclude' });
  if (mode === 'inclusion') return (doc) => applyInclusion(root, doc, doc);
  return (doc) => (root.computes ? applyAdditions(root, applyExclusion(root, doc), doc) : applyExclusion(root, doc));
}

function addField(builder: Builder, path: string, value: Value): void {
  if (builder.find !== undefined && path.includes('$'))
    throw new DatabaseError(115, `a projection of '${path}' is not supported`);
  if (isFlag(value)) {
    require(builder, path, isTrue(value) ? 'inclusion' : 'exclusion');
    addLeaf(builder.root, path, { kind: isTrue(value) ? 'include' : 'exclude' });
    return;
  }
  if (isDoc(value)) {
    const [first = ''] = value.keys();
    if (!first.startsWith('$')) throw new DatabaseError(115, `a projection of '${path}' by a document is not supported`);
    if (addFindOperator(builder, path, first, value)) return;
    if (!isExpressionOperator(first)) throw new DatabaseError(31325, `Unknown expression ${first}`);
  }
  require(builder, path, 'inclusion', isDoc(value) ? 31252 : 31310);
  addLeaf(builder.root, path, { kind: 'compute', expression: builder.compiler.compile(value) });
}

/**
 * Handles the two operators that are special in a find: `$elemMatch` has its own meaning, and
 * `$meta` may be combined with any projection.
 */
function addFindOperator(builder: Builder, path: string, name: string, value: Doc): boolean {
  const { find, root } = builder;
  if (find === undefined || (name !== '$elemMatch' && name !== '$meta')) return false;
  const expression =
    name === '$meta' ? builder.compiler.compile(value) : elementMatch(value.get('$elemMatch') as Value, path, find);
  if (name === '$elemMatch') builder.hasElementMatch = true;
  addLeaf(root, path, { kind: 'compute', expression });
  return true;
}

function require(builder: Builder, path: string, mode: Mode, computed?: 31252 | 31310): void {
  if (builder.mode !== undefined && builder.mode !== mode) {
    if (computed !== undefined)
      throw new DatabaseError(computed, 'Cannot use an expression other than $meta in an exclusion projection');
    throw new DatabaseError(
      mode === 'inclusion' ? 31253 : 31254,
      `Invalid projection :: caused by :: Cannot do ${mode} on field ${path} in ${builder.mode} projection`,
    );
  }
  builder.mode = mode;
}

function addComputed(root: ProjectionNode, spec: Doc, prefix: string, compiler: Compiler): void {
  for (const [name, value] of spec) {
    const path = `${prefix}${name}`;
    const [first] = isDoc(value) ? value.keys() : [];
    if (isDoc(value) && value.size > 0 && !first?.startsWith('$')) addComputed(root, value, `${path}.`, compiler);
    else addLeaf(root, path, { kind: 'compute', expression: compiler.compile(value) });
  }
}

/** `{ members: { $elemMatch: ... } }` returns the first element of the array that matches. */
function elementMatch(operand: Value, path: string, context: Context): Expression {
  if (!isDoc(operand))
    throw new DatabaseError(31274, `elemMatch: Invalid argument, object required, but got ${typeName(operand)}`);
  if (path.includes('.')) throw new DatabaseError(31275, 'Cannot use $elemMatch projection on a nested field.');
  const holds = compileElementMatch(operand, context);
  return {
    constant: false,
    evaluate(doc) {
      const value = doc.get(path);
      const found = Array.isArray(value) ? value.find(holds) : undefined;
      return found === undefined ? undefined : [found];
    },
  };
}
