import { type Fields, maxLevels, Reader } from './bson-reader.ts';
import { Writer } from './bson-writer.ts';
import { DatabaseError, invalidBson } from './errors.ts';
import { asBuffer, damagedDocument } from './raw.ts';
import type { Doc } from './value.ts';

/**
 * Decodes one BSON document that fills `bytes` exactly. Throws error 22 (InvalidBSON), or 15
 * (Overflow) if it is nested deeper than `maxDepth`. Copies binary values, so `bytes` may be
 * reused.
 */
export function decode(bytes: Uint8Array, maxDepth = maxLevels): Doc {
  const reader = new Reader(bytes);
  const doc = reader.document(maxDepth, bytes.length);
  if (reader.at !== bytes.length) throw invalidBson(`${bytes.length - reader.at} bytes after the end of the document`);
  return doc;
}

/**
 * Earlier versions let an update store twice as many levels. A reply adds some levels of its own.
 */
const mostStoredLevels = 2 * maxLevels + 10;

/** Decodes a stored document. If it is damaged, throws error 366 with its `_id`. */
export function decodeStored(bytes: Uint8Array): Doc {
  try {
    return decode(bytes, mostStoredLevels);
  } catch (error) {
    throw asDamage(bytes, error);
  }
}

/** Decodes some fields of a stored document, in stored order. */
export function decodeFields(bytes: Uint8Array, fields: Fields): Doc {
  try {
    return new Reader(bytes).fields(fields, mostStoredLevels, bytes.length);
  } catch (error) {
    throw asDamage(bytes, error);
  }
}

const notBson: readonly unknown[] = [15, 22];

/** Turns an error about a client's document into an error about a damaged one. */
const asDamage = (bytes: Uint8Array, error: unknown): unknown =>
  error instanceof DatabaseError && notBson.includes(error.code) ? damagedDocument(asBuffer(bytes), error.message) : error;

/**
 * Encodes a document to store, with the nesting limit of client documents. The caller owns the
 * bytes.
 */
export function encode(doc: Doc, maxDepth = maxLevels): Buffer {
  const writer = new Writer();
  writer.document(doc, maxDepth);
  return writer.finish();
}

/** Encodes a reply, which may contain stored documents. */
export function encodeAnswer(doc: Doc): Buffer {
  return encode(doc, mostStoredLevels);
}
