import { damaged } from '../values/errors.ts';
import { asBuffer, int32At } from '../values/raw.ts';

/** A document as SQLite gives it. Refuses, at a glance, a value that is not a document; walks over it check the rest. */
export function storedDocument(value: unknown, namespace: string, rid: number): Buffer {
  const bytes = value instanceof Uint8Array ? asBuffer(value) : undefined;
  if (bytes !== undefined && isFramed(bytes)) return bytes;
  throw damaged(`document ${rid} of ${namespace} is not valid BSON.`);
}

/** Whether bytes begin with their length and end in 0, as a document does. */
export const isFramed = (bytes: Buffer): boolean =>
  bytes.length >= 5 && int32At(bytes, 0) === bytes.length && bytes[bytes.length - 1] === 0;
