import type { Context } from './context.ts';
import { DatabaseError } from './errors.ts';
import { compilerFor, isExpressionOperator } from './expression.ts';
import type { Compiler } from './expressions/operator.ts';
import { FIND_OPERATORS, type FindProjection, positional } from './project-find.ts';
import {
  addLeaf,
  applyAdditions,
  applyExclusion,
  applyInclusion,
  type ProjectionLeaf,
  type ProjectionNode,
  projectionRoot,
} from './project-tree.ts';
import { isTrue } from './truth.ts';
import { type Doc, isDoc, isNumber, type Value } from './value.ts';

/** Makes one document of another. */
export type Transform = (doc: Doc) => Doc;

/** Compiles the projection of a find; the filter tells what the positional `a.$` stands for. */
export function compileProjection(spec: Doc, context: FindProjection = {}): Transform {
  if (spec.size === 0) return (doc) => doc;
  return compile(spec, context, true);
}

/** Compiles the aggregation stage `$project`. */
export function compileProject(spec: Value, context: Context = {}): Transform {
  if (!isDoc(spec)) throw new DatabaseError(15969, '$project specification must be an object');
  if (spec.size === 0)
    throw new DatabaseError(51272, 'Invalid $project :: caused by :: projection specification must have at least one field');
  return compile(spec, context, false);
}

/** Compiles the aggregation stage `$addFields`, also known as `$set`. */
export function compileAddFields(spec: Value, context: Context = {}, name = '$addFields'): Transform {
  if (!isDoc(spec)) throw new DatabaseError(40272, `${name} specification stage must be an object, got ${String(spec)}`);
  const root = projectionRoot();
  addComputed(root, spec, '', compilerFor(context));
  return (doc) => applyAdditions(root, doc, doc);
}

/** Compiles the aggregation stage `$unset`. */
export function compileUnset(spec: Value): Transform {
  const paths = Array.isArray(spec) ? spec : [spec];
  if (paths.length === 0)
    throw new DatabaseError(31119, '$unset specification must be a string or an array with at least one field');
  const root = projectionRoot();
  for (const path of paths) {
    if (typeof path !== 'string') {
      throw new DatabaseError(
        Array.isArray(spec) ? 31120 : 31002,
        '$unset specification must be a string or an array containing only string values',
      );
    }
    addLeaf(root, path, { kind: 'exclude' });
  }
  return (doc) => applyExclusion(root, doc);
}

interface Builder {
  readonly root: ProjectionNode;
  readonly compiler: Compiler;
  readonly find: FindProjection | undefined;
  /** Done after the tree has been applied, for what needs the document's array as a whole. */
  readonly finishers: ((result: Doc, doc: Doc) => Doc)[];
  /** The operators of a find that occur: they decide the mode where nothing else does. */
  readonly operators: Set<string>;
  mode: 'inclusion' | 'exclusion' | undefined;
}

function compile(spec: Doc, context: FindProjection, isFind: boolean): Transform {
  const builder: Builder = {
    root: projectionRoot(),
    compiler: compilerFor(context),
    find: isFind ? context : undefined,
    finishers: [],
    operators: new Set(),
    mode: undefined,
  };
  const id = spec.get('_id');
  const idIsFlag = id !== undefined && isFlag(id);
  for (const [name, value] of spec) if (name !== '_id' || !idIsFlag) addField(builder, name, value);
  const { root, finishers } = builder;
  const keepsId = !idIsFlag || isTrue(id);
  builder.mode ??= (idIsFlag && keepsId) || impliesInclusion(builder.operators) ? 'inclusion' : 'exclusion';
  const inclusion = builder.mode === 'inclusion';
  if (inclusion && keepsId && !root.children.has('_id')) root.children.set('_id', { kind: 'include' });
  if (!inclusion && !keepsId) root.children.set('_id', { kind: 'exclude' });
  const apply: (doc: Doc) => Doc = inclusion
    ? (doc) => applyInclusion(root, doc, doc)
    : root.computes
      ? (doc) => applyAdditions(root, applyExclusion(root, doc), doc)
      : (doc) => applyExclusion(root, doc);
  if (finishers.length === 0) return apply;
  return (doc) => finishers.reduce((result, finish) => finish(result, doc), apply(doc));
}

function impliesInclusion(operators: ReadonlySet<string>): boolean {
  return operators.has('$elemMatch') && !operators.has('$slice');
}

function isFlag(value: Value): boolean {
  return typeof value === 'boolean' || isNumber(value);
}

function addField(builder: Builder, path: string, value: Value): void {
  if (builder.find !== undefined && (path.endsWith('.$') || path === '$')) {
    require(builder, path, 'inclusion');
    builder.finishers.push(positional(builder, path));
    addLeaf(builder.root, path.slice(0, -2), { kind: 'include' });
    return;
  }
  if (isFlag(value)) {
    require(builder, path, isTrue(value) ? 'inclusion' : 'exclusion');
    addLeaf(builder.root, path, { kind: isTrue(value) ? 'include' : 'exclude' });
    return;
  }
  if (isDoc(value)) {
    if (value.size === 0)
      throw new DatabaseError(51270, `An empty sub-projection is not a valid value. Found empty object at path`);
    const [first = ''] = value.keys();
    if (!first.startsWith('$')) {
      for (const [name, inner] of value) addField(builder, `${path}.${name}`, inner);
      return;
    }
    if (addFindOperator(builder, path, first, value)) return;
    if (!isExpressionOperator(first)) throw new DatabaseError(31325, `Unknown expression ${first}`);
  }
  require(builder, path, 'inclusion', isDoc(value) ? 31252 : 31310);
  addLeaf(builder.root, path, { kind: 'compute', expression: builder.compiler.compile(value) });
}

/** `$slice`, `$elemMatch` and `$meta` mean something of their own in a find. */
function addFindOperator(builder: Builder, path: string, name: string, value: Doc): boolean {
  const { find } = builder;
  const make = find !== undefined && Object.hasOwn(FIND_OPERATORS, name) ? FIND_OPERATORS[name] : undefined;
  const leaf: ProjectionLeaf | undefined = make?.(value.get(name) as Value, path, find as FindProjection, builder.compiler);
  if (leaf === undefined) return false;
  builder.operators.add(name);
  addLeaf(builder.root, path, leaf);
  return true;
}

function require(builder: Builder, path: string, mode: 'inclusion' | 'exclusion', computed?: 31252 | 31310): void {
  if (builder.mode !== undefined && builder.mode !== mode) {
    if (computed !== undefined)
      throw new DatabaseError(computed, 'Cannot use an expression other than $meta in an exclusion projection');
    const code = mode === 'inclusion' ? 31253 : 31254;
    throw new DatabaseError(
      code,
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
