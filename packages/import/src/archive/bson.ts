import { deserialize } from 'bson';
import { type Json, jsonOf } from '../json.ts';

/** A document of a collection; undefined if it cannot be read. */
export type BsonDocument = { document: Json | undefined; bytes: Buffer };

/** MongoDB's limit for a document, with its internal overhead. */
const mostBytes = 16 * 1024 * 1024 + 16 * 1024;

/**
 * The documents of a collection in the format of `mongodump`: one after the other, each beginning
 * with its length. After an invalid length, or in a truncated document, the rest is lost. Then the
 * last document is one that cannot be read.
 */
export async function* documentsOf(file: AsyncIterable<Buffer>): AsyncGenerator<BsonDocument> {
  let parts: Buffer[] = [];
  let length = 0;
  for await (const chunk of file) {
    parts.push(chunk);
    length += chunk.length;
    // Most chunks contain many documents. A long document spans many chunks, which are concatenated
    // once.
    if (length < 4 || length < wanted(parts)) continue;
    let rest = Buffer.concat(parts);
    while (rest.length >= 4) {
      const next = rest.readInt32LE(0);
      if (next < 5 || next > mostBytes) return yield { document: undefined, bytes: Buffer.alloc(0) };
      if (rest.length < next) break;
      const bytes = rest.subarray(0, next);
      yield { document: parseBson(bytes), bytes };
      rest = rest.subarray(next);
    }
    parts = rest.length > 0 ? [rest] : [];
    length = rest.length;
  }
  if (length > 0) yield { document: undefined, bytes: Buffer.alloc(0) };
}

/** The length of the document that begins here, if it is valid. */
function wanted([first = Buffer.alloc(0), ...more]: Buffer[]): number {
  const beginning = first.length < 4 ? Buffer.concat([first, ...more]) : first;
  return Math.min(beginning.readInt32LE(0), mostBytes);
}

export function parseBson(bytes: Buffer): Json | undefined {
  try {
    return jsonOf(deserialize(bytes, { validation: { utf8: false } }));
  } catch {
    return undefined;
  }
}
