import { deserialize } from 'bson';
import { type Json, jsonOf } from '../json.ts';

/** A document of a collection; undefined for one that can't be read. */
export type BsonDocument = { document: Json | undefined; bytes: Buffer };

/** As long as MongoDB lets a document be, and what it adds within. */
const mostBytes = 16 * 1024 * 1024 + 16 * 1024;

/**
 * The documents of a collection as `mongodump` writes it, one after the other: each begins with its length. What comes
 * after a length that can't be one is lost, and so is a document that was cut off: both end with one that can't be read.
 */
export async function* documentsOf(file: AsyncIterable<Buffer>): AsyncGenerator<BsonDocument> {
  let parts: Buffer[] = [];
  let length = 0;
  for await (const chunk of file) {
    parts.push(chunk);
    length += chunk.length;
    // Most chunks have many documents; a long document comes in many chunks, which are put together once.
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

/** The length of the document that has begun, as far as it can be one. */
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
