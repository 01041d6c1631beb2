import { fieldParts } from '../expressions/expression.ts';
import type { Expression } from '../expressions/operator.ts';
import { DatabaseError } from '../values/errors.ts';
import { type Doc, isDoc, type Value } from '../values/value.ts';

/** The projection of one field. */
export type ProjectionLeaf =
  | { readonly kind: 'include' }
  | { readonly kind: 'exclude' }
  | { readonly kind: 'compute'; readonly expression: Expression };

/** The projection of the fields of a document, by name. */
export type ProjectionNode = {
  readonly kind: 'node';
  readonly children: Map<string, ProjectionNode | ProjectionLeaf>;
  /** True if a field at any depth is computed. */
  computes: boolean;
};

export function projectionRoot(): ProjectionNode {
  return { kind: 'node', children: new Map(), computes: false };
}

/** Adds a leaf at a dotted path. A path must not be a prefix of another one. */
export function addLeaf(root: ProjectionNode, path: string, leaf: ProjectionLeaf): void {
  const parts = fieldParts(path);
  let node = root;
  parts.forEach((part, i) => {
    const known = node.children.get(part);
    const last = i === parts.length - 1;
    if (leaf.kind === 'compute') node.computes = true;
    if (known !== undefined && (last || known.kind !== 'node')) {
      const code = last ? 31250 : 31249;
      throw new DatabaseError(
        code,
        `Path collision at ${path}${last ? '' : ` remaining portion ${parts.slice(i + 1).join('.')}`}`,
      );
    }
    if (last) {
      node.children.set(part, leaf);
      return;
    }
    const next = (known as ProjectionNode | undefined) ?? projectionRoot();
    node.children.set(part, next);
    node = next;
  });
}

/** Keeps the included fields and adds the computed ones. */
export function applyInclusion(node: ProjectionNode, doc: Doc, root: Doc): Doc {
  return computed(node, included(node, doc), root);
}

/** Drops the excluded fields. */
export function applyExclusion(node: ProjectionNode, doc: Doc): Doc {
  const result: Doc = new Map();
  for (const [name, value] of doc) {
    const child = node.children.get(name);
    if (child === undefined || child.kind === 'compute') result.set(name, value);
    else if (child.kind === 'node') result.set(name, excludedFrom(child, value));
  }
  return result;
}

/** Keeps all fields and adds the computed ones. */
export function applyAdditions(node: ProjectionNode, doc: Doc, root: Doc): Doc {
  return computed(node, new Map(doc), root);
}

function included(node: ProjectionNode, doc: Doc): Doc {
  const result: Doc = new Map();
  for (const [name, value] of doc) {
    const child = node.children.get(name);
    if (child === undefined || child.kind === 'compute' || child.kind === 'exclude') continue;
    const kept = child.kind === 'node' ? includedFrom(child, value) : value;
    if (kept !== undefined) result.set(name, kept);
  }
  return result;
}

/**
 * Only documents, also inside arrays, have fields to include. Another value becomes an empty
 * document if fields are computed into it.
 */
function includedFrom(node: ProjectionNode, value: Value): Value | undefined {
  if (isDoc(value)) return included(node, value);
  if (!Array.isArray(value)) return node.computes ? new Map() : undefined;
  return value.map((item) => includedFrom(node, item)).filter((item) => item !== undefined);
}

function excludedFrom(node: ProjectionNode, value: Value): Value {
  if (isDoc(value)) return applyExclusion(node, value);
  return Array.isArray(value) ? value.map((item) => excludedFrom(node, item)) : value;
}

/** Adds computed fields to `target`, which it modifies. */
function computed(node: ProjectionNode, target: Doc, root: Doc): Doc {
  if (!node.computes) return target;
  for (const [name, child] of node.children) {
    if (child.kind === 'compute') setField(target, name, child.expression.evaluate(root));
    else if (child.kind === 'node' && child.computes) target.set(name, computedInto(child, target.get(name), root));
  }
  return target;
}

/**
 * Replaces a value that is not a document by a document of the computed fields. In arrays, it does
 * so for each element.
 */
function computedInto(node: ProjectionNode, value: Value | undefined, root: Doc): Value {
  if (Array.isArray(value)) return value.map((item) => computedInto(node, item, root));
  return computed(node, isDoc(value) ? new Map(value) : new Map(), root);
}

function setField(target: Doc, name: string, value: Value | undefined): void {
  if (value === undefined) target.delete(name);
  else target.set(name, value);
}
