import { badValue, conflictingUpdate, DatabaseError, notSupported, pathNotViable } from '../values/errors.ts';
import { isIndex } from '../values/path.ts';
import { type Doc, isDoc, typeName, type Value } from '../values/value.ts';

/** The action of one operator at the end of its path. */
export type Modifier = {
  /** The new value; the same object if it does not change, or `removed` to remove the field. */
  update(value: Value, run: Run, path: string): Value | typeof removed;
  /** The value of a missing field. Not set for operators that do not create fields. */
  create?(run: Run, path: string): Value | undefined;
  /** Ignores a path that leads through a scalar instead of failing. */
  readonly toleratesBadPath?: boolean;
};

/** The document that is being updated, with its context. */
export type Run = {
  readonly original: Doc;
  readonly now: Date;
  /** True if an array element matches the array filter with this identifier. */
  readonly elementMatches: (identifier: string, element: Value) => boolean;
};

/** The result of a modifier that removes its field. */
export const removed = Symbol('removed');

/** All operators of an update as a tree of path parts. The leaves hold the modifiers. */
export type UpdateNode =
  | { readonly kind: 'leaf'; readonly modifier: Modifier }
  | { readonly kind: 'object'; readonly children: Map<string, UpdateNode> }
  | { readonly kind: 'array'; readonly children: Map<string, UpdateNode> };

/**
 * Adds a modifier at a path. Throws if another operator has this path, a prefix of it, or a path
 * below it.
 */
export function addModifier(root: UpdateNode, path: string, modifier: Modifier): void {
  const parts = checkedParts(path);
  let node = root;
  parts.forEach((part, i) => {
    const here = parts.slice(0, i + 1).join('.');
    const last = i === parts.length - 1;
    const name = identifierOf(part) ?? part;
    if (node.kind === 'leaf') throw conflictingUpdate(path, here);
    const known = node.children.get(name);
    if (known !== undefined && (last || known.kind !== kindFor(parts[i + 1]))) throw conflictingUpdate(path, here);
    const next: UpdateNode = known ?? (last ? { kind: 'leaf', modifier } : { kind: kindFor(parts[i + 1]), children: new Map() });
    node.children.set(name, next);
    node = next;
  });
}

/** Applies a tree to a document. The result shares unchanged values with the original. */
export function applyTree(root: UpdateNode, doc: Doc, run: Run): Doc {
  return applyNode(root, doc, run, '') as Doc;
}

/** The identifier in `$[identifier]`, empty for `$[]`; `undefined` for other parts of a path. */
export function identifierOf(part: string): string | undefined {
  return part.startsWith('$[') && part.endsWith(']') ? part.slice(2, -1) : undefined;
}

const maxBackfill = 1_500_000;

function kindFor(next: string | undefined): 'object' | 'array' {
  return next !== undefined && identifierOf(next) !== undefined ? 'array' : 'object';
}

function checkedParts(path: string): string[] {
  if (path === '') throw new DatabaseError(56, 'An empty update path is not valid.');
  const parts = path.split('.');
  if (parts.includes(''))
    throw new DatabaseError(56, `The update path '${path}' contains an empty field name, which is not allowed.`);
  const [first = ''] = parts;
  if (identifierOf(first) !== undefined)
    throw badValue(`Cannot have array filter identifier (i.e. '$[<id>]') element in the first position in path '${path}'`);
  if (parts.includes('$')) throw notSupported(`the positional operator in '${path}' is not supported; use an array filter`);
  const dollar = parts.find((part) => part.startsWith('$') && identifierOf(part) === undefined);
  if (dollar !== undefined && !dbrefNames.has(dollar)) {
    throw new DatabaseError(52, `The dollar ($) prefixed field '${dollar}' in '${path}' is not valid for storage.`);
  }
  return parts;
}

const dbrefNames: ReadonlySet<string> = new Set(['$ref', '$id', '$db']);

function applyNode(node: UpdateNode, value: Value, run: Run, path: string): Value | typeof removed {
  if (node.kind === 'leaf') return node.modifier.update(value, run, path);
  if (node.kind === 'array') return applyToElements(node.children, value, run, path);
  const children = inOrder(node.children);
  if (Array.isArray(value)) return applyToArray(children, value, run, path);
  if (isDoc(value)) return applyToDoc(children, value, run, path);
  for (const [name, child] of children) requireTolerance(child, name, path, value);
  return value;
}

function applyToDoc(children: readonly [string, UpdateNode][], doc: Doc, run: Run, path: string): Doc {
  let result = doc;
  for (const [name, child] of children) {
    const old = doc.get(name);
    const here = join(path, name);
    const value = old === undefined ? createNode(child, run, here) : applyNode(child, old, run, here);
    if (value === old) continue;
    if (result === doc) result = new Map(doc);
    if (value === removed) result.delete(name);
    else result.set(name, value as Value);
  }
  return result;
}

function applyToArray(children: readonly [string, UpdateNode][], items: Value[], run: Run, path: string): Value[] {
  let result = items;
  for (const [name, child] of children) {
    if (!isIndex(name)) {
      requireTolerance(child, name, path, items);
      continue;
    }
    const index = Number(name);
    const old = items[index];
    const here = join(path, name);
    const value = old === undefined ? createNode(child, run, here) : applyNode(child, old, run, here);
    if (value === old) continue;
    if (result === items) result = [...items];
    if (index - result.length > maxBackfill) throw badValue(`can't backfill more than ${maxBackfill} elements`);
    while (result.length < index) result.push(null);
    // Removing an element would move the others, so it becomes null.
    result[index] = value === removed || value === undefined ? null : value;
  }
  return result;
}

function applyToElements(children: ReadonlyMap<string, UpdateNode>, value: Value, run: Run, path: string): Value {
  if (!Array.isArray(value))
    throw badValue(`Cannot apply array updates to non-array element ${lastPart(path)}: ${typeName(value)}`);
  let result = value;
  value.forEach((item, i) => {
    const here = join(path, String(i));
    const nodes = [...children]
      .filter(([identifier]) => identifier === '' || run.elementMatches(identifier, item))
      .map(([, child]) => child);
    const [first, ...others] = nodes;
    if (first === undefined) return;
    const changed = applyNode(
      others.reduce((merged, node) => merge(merged, node, here), first),
      item,
      run,
      here,
    );
    if (changed === item) return;
    if (result === value) result = [...value];
    result[i] = changed === removed ? null : changed;
  });
  return result;
}

/** Creates the value of a missing field; `undefined` if no operator below creates one. */
function createNode(node: UpdateNode, run: Run, path: string): Value | undefined {
  if (node.kind === 'array') throw badValue(`The path '${path}' must exist in the document in order to apply array updates.`);
  if (node.kind === 'leaf') return node.modifier.create?.(run, path);
  const doc: Doc = new Map();
  for (const [name, child] of inOrder(node.children)) {
    const value = createNode(child, run, join(path, name));
    if (value !== undefined) doc.set(name, value);
  }
  return doc.size > 0 ? doc : undefined;
}

/** The children in the order in which MongoDB adds new fields: by name, numbers by value. */
function inOrder(children: ReadonlyMap<string, UpdateNode>): [string, UpdateNode][] {
  if (children.size === 1) return [...children];
  return [...children].sort(([a], [b]) => (isIndex(a) && isIndex(b) ? Number(a) - Number(b) : a < b ? -1 : Number(a > b)));
}

function merge(a: UpdateNode, b: UpdateNode, path: string): UpdateNode {
  if (a.kind === 'leaf' || b.kind === 'leaf' || a.kind !== b.kind) {
    throw new DatabaseError(40, `Update created a conflict at '${path}'`);
  }
  const children = new Map(a.children);
  for (const [name, child] of b.children) {
    const other = children.get(name);
    children.set(name, other === undefined ? child : merge(other, child, join(path, name)));
  }
  return { kind: a.kind, children };
}

/** Throws unless all operators below tolerate a path that leads nowhere. */
function requireTolerance(node: UpdateNode, name: string, path: string, value: Value): void {
  if (node.kind === 'leaf') {
    if (node.modifier.toleratesBadPath) return;
    throw pathNotViable(`Cannot create field '${name}' in element {${lastPart(path)}: ${typeName(value)}}`);
  }
  if (node.kind === 'array')
    throw badValue(`The path '${join(path, name)}' must exist in the document in order to apply array updates.`);
  for (const child of node.children.values()) requireTolerance(child, name, path, value);
}

function join(path: string, name: string): string {
  return path === '' ? name : `${path}.${name}`;
}

function lastPart(path: string): string {
  return path.slice(path.lastIndexOf('.') + 1);
}
