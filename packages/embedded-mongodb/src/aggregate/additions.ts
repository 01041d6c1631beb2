import { maxDocumentBytes } from '../protocol/limits.ts';
import { asBuffer } from '../values/raw.ts';
import { type Doc, isDoc, type Value } from '../values/value.ts';

/** Stages that only add fields to documents, as those of a page of messages with their authors. */
export type Additions = {
  /** The fields at the top of documents that they look at or add: no others need be decoded. */
  readonly fields: ReadonlySet<string>;
  /** The encoded document with what was added to its decoded `fields`; undefined if it had some of it before, or would be too large. */
  onto(document: Uint8Array, before: Doc, after: Doc): Uint8Array | undefined;
};

/** Says what stages add, if they do no more than that and say themselves all that they look at. */
export function additionsOf(stages: readonly Value[], encode: (doc: Doc) => Uint8Array): Additions | undefined {
  const [fields, added] = [new Set<string>(), new Set<string>()];
  const looks = (value: Value): boolean => {
    if (typeof value === 'string' && value.startsWith('$') && !value.startsWith('$$')) fields.add(topOf(value.slice(1)));
    if (typeof value === 'string') return !value.startsWith('$$ROOT');
    if (Array.isArray(value)) return value.every(looks);
    return !isDoc(value) || [...value].every(([name, inner]) => name !== '$meta' && looks(inner));
  };
  for (const stage of stages) {
    const [[name, spec] = ['', null]] = isDoc(stage) ? stage : [];
    if (!isDoc(spec) || (name !== '$lookup' && name !== '$set')) return undefined;
    if (name === '$set' && !looks(spec)) return undefined;
    if (name === '$lookup') fields.add(topOf(String(spec.get('localField'))));
    for (const path of name === '$set' ? spec.keys() : [String(spec.get('as'))]) added.add(topOf(path));
  }
  for (const name of added) fields.add(name);
  return {
    fields,
    onto(document, before, after) {
      if ([...added].some((name) => before.has(name))) return undefined;
      const [bytes, more] = [asBuffer(document), encode(new Map([...after].filter(([name]) => added.has(name))))];
      if (bytes.length + more.length > maxDocumentBytes) return undefined;
      // Without its length and its end, a document is a list of fields.
      const all = Buffer.concat([bytes.subarray(0, -1), more.subarray(4)]);
      all.writeInt32LE(all.length);
      return all;
    },
  };
}

/** The field at the top of a document in which a path begins. */
function topOf(path: string): string {
  return path.split('.', 1)[0] as string;
}
