import { type Fields, maxLevels, Reader } from './bson-reader.ts';
import { Writer } from './bson-writer.ts';
import { DatabaseError, invalidBson } from './errors.ts';
import { asBuffer, damagedDocument } from './raw.ts';
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

/** Earlier versions let an update store twice the levels; and an answer wraps what is stored. */
const mostStoredLevels = 2 * maxLevels + 10;

/** Decodes a stored document. Damage ends in 366, which names the document. */
export function decodeStored(bytes: Uint8Array): Doc {
  try {
    return decode(bytes, mostStoredLevels);
  } catch (error) {
    throw asDamage(bytes, error);
  }
}

/** Decodes some fields, in their order, of a stored document. */
export function decodeFields(bytes: Uint8Array, fields: Fields): Doc {
  try {
    return new Reader(bytes).fields(fields, mostStoredLevels, bytes.length);
  } catch (error) {
    throw asDamage(bytes, error);
  }
}

const notBson: readonly unknown[] = [15, 22];

/** The error of a stored document for one of a document that a client sends. */
const asDamage = (bytes: Uint8Array, error: unknown): unknown =>
  error instanceof DatabaseError && notBson.includes(error.code) ? damagedDocument(asBuffer(bytes), error.message) : error;

/** Encodes a document that is to be stored, no deeper than one that comes from a client; the bytes are the caller's own. */
export function encode(doc: Doc, maxDepth = maxLevels): Buffer {
  const writer = new Writer();
  writer.document(doc, maxDepth);
  return writer.finish();
}

/** Encodes a document around others that are stored. */
export function encodeAnswer(doc: Doc): Buffer {
  return encode(doc, mostStoredLevels);
}
