import { maxLevels, Reader } from './bson-reader.ts';
import { Writer } from './bson-writer.ts';
import { invalidBson } from './errors.ts';
import type { Doc } from './value.ts';

/**
 * Decodes one BSON document that fills `bytes` exactly. Bytes that are not BSON end in `22 InvalidBSON`, nesting deeper than
 * `maxDepth` in `15 Overflow`; binary values are copied out, so that `bytes` may be reused.
 */
export function decode(bytes: Uint8Array, maxDepth = maxLevels): Doc {
  const reader = new Reader(bytes);
  const doc = reader.document(maxDepth, bytes.length);
  if (reader.at !== bytes.length) throw invalidBson(`${bytes.length - reader.at} bytes after the end of the document`);
  return doc;
}

/** Decodes some fields, in their order, of a stored document, which has passed `decode` once. */
export function decodeFields(bytes: Uint8Array, names: ReadonlySet<string>): Doc {
  return new Reader(bytes).fields(names, maxLevels, bytes.length);
}

/** Encodes a document; the bytes are the caller's own. */
export function encode(doc: Doc): Uint8Array {
  const writer = new Writer();
  writer.document(doc, maxEncodedDepth);
  return writer.finish();
}

/** An update may wrap what was already at the limit, and the answer must still reach the client. */
const maxEncodedDepth = 2 * maxLevels;
