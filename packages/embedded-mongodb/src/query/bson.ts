import { MAX_DEPTH, Reader } from './bson-reader.ts';
import { Writer } from './bson-writer.ts';
import { invalidBson } from './errors.ts';
import { BsonType, type Doc, type Value } from './value.ts';

/**
 * Decodes one BSON document that fills `bytes` exactly. Bytes that are not BSON end in `22 InvalidBSON`, nesting deeper than
 * `maxDepth` in `15 Overflow`; binary values are copied out, so that `bytes` may be reused.
 */
export function decode(bytes: Uint8Array, maxDepth = MAX_DEPTH): Doc {
  const reader = new Reader(bytes);
  const doc = reader.document(maxDepth, bytes.length);
  if (reader.at !== bytes.length) throw invalidBson(`${bytes.length - reader.at} bytes after the end of the document`);
  return doc;
}

/** Decodes some fields, in their order, of a stored document, which has passed `decode` once. */
export function decodeFields(bytes: Uint8Array, names: ReadonlySet<string>): Doc {
  return new Reader(bytes).fields(names, MAX_DEPTH, bytes.length);
}

/** The length in bytes that a document claims at `offset`, checked against the bytes at hand. */
export function documentSize(bytes: Uint8Array, offset = 0): number {
  if (bytes.length - offset < 5) throw invalidBson('a document has at least 5 bytes');
  const size = new DataView(bytes.buffer, bytes.byteOffset).getInt32(offset, true);
  if (size < 5 || size > bytes.length - offset) throw invalidBson(`a document claims ${size} of ${bytes.length - offset} bytes`);
  return size;
}

/** Stands for a value that `readField` cannot give because an array lies on the way to it. */
export const THROUGH_ARRAY = Symbol('through array');

/**
 * Reads one value out of encoded bytes without decoding the rest; the path goes through documents only. `undefined`: no such
 * field. The bytes must come from `encode` or have passed `decode` once, for what is skipped is not checked.
 */
export function readField(bytes: Uint8Array, path: readonly string[]): Value | undefined | typeof THROUGH_ARRAY {
  const reader = new Reader(bytes);
  let end = bytes.length;
  for (let level = 0; ; level++) {
    end = reader.at + reader.int32();
    const type = reader.find(path[level] as string, end);
    if (type === 0) return undefined;
    if (level === path.length - 1) return reader.value(type, MAX_DEPTH, end);
    if (type === BsonType.array) return THROUGH_ARRAY;
    if (type !== BsonType.object) return undefined;
  }
}

/** Encodes a document; the bytes are the caller's own. */
export function encode(doc: Doc): Uint8Array {
  const writer = new Writer();
  writer.document(doc, MAX_ENCODED_DEPTH);
  return writer.finish();
}

/** An update may wrap what was already at the limit, and the answer must still reach the client. */
const MAX_ENCODED_DEPTH = 2 * MAX_DEPTH;
