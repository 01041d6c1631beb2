import { damaged } from '../values/errors.ts';
import { asBuffer, int32At } from '../values/raw.ts';

/** An empty document has its length and a zero. */
const leastBytes = 5;

/**
 * A document as SQLite gives it. Refuses a value of another type; walks over the bytes, and
 * `validate`, check the rest.
 */
export function storedDocument(value: unknown, namespace: string, rid: number): Buffer {
  if (value instanceof Uint8Array && value.length >= leastBytes) return asBuffer(value);
  throw damaged(`document ${rid} of ${namespace} is not valid BSON.`);
}

/** True if bytes begin with their length and end in 0, as a document does. */
export const isFramed = (bytes: Buffer): boolean =>
  bytes.length >= leastBytes && int32At(bytes, 0) === bytes.length && bytes[bytes.length - 1] === 0;
