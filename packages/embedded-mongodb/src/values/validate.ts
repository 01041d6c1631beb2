import { isUtf8 } from 'node:buffer';
import { damagedDocument, int32At, RawCursor, type RawValue, rawDocument } from './raw.ts';
import { bsonType } from './value.ts';

/** Below so many bytes a loop is quicker than a call into native code. */
const fewBytes = 48;

/**
 * Refuses a stored document that is not valid BSON. Documents are sent as they are stored, without
 * decoding. A driver that got a damaged one would fail without naming it.
 */
export function validate(bytes: Buffer): Buffer {
  if (bytes.length < 5 || int32At(bytes, 0) !== bytes.length) throw damagedDocument(bytes, 'its length is wrong');
  validateFields(rawDocument(bytes));
  return bytes;
}

/** True if a stored document is valid BSON. */
export function isValid(bytes: Buffer): boolean {
  try {
    validate(bytes);
    return true;
  } catch {
    return false;
  }
}

function validateFields(document: RawValue): void {
  for (const field = new RawCursor(document); field.next(); ) {
    const { type, bytes, start, end } = field;
    switch (type) {
      case bsonType.string:
        if (end - start < 5 || bytes[end - 1] !== 0) throw damagedDocument(bytes, 'a string does not end in 0');
        if (!isText(bytes, start + 4, end - 1)) throw damagedDocument(bytes, 'a string is not UTF-8');
        break;
      case bsonType.object:
      case bsonType.array:
        validateFields(field);
        break;
      case bsonType.bool:
        if ((bytes[start] as number) > 1) throw damagedDocument(bytes, `a boolean is 0 or 1, not ${bytes[start]}`);
        break;
      case bsonType.date:
        if (!isDate(bytes.readInt32LE(start + 4)))
          throw damagedDocument(bytes, 'a date beyond the years that can be computed with');
        break;
      case bsonType.binData:
        if (end - start < 5) throw damagedDocument(bytes, 'binary data has a negative length');
    }
  }
}

function isText(bytes: Buffer, start: number, end: number): boolean {
  if (end - start >= fewBytes) return isUtf8(bytes.subarray(start, end));
  for (let at = start; at < end; at++) if ((bytes[at] as number) > 127) return isUtf8(bytes.subarray(start, end));
  return true;
}

/** True if the high half of a date is within ±2^52 ms. Beyond that, a double is inexact. */
export const isDate = (high: number): boolean => high < 0x100000 && high >= -0x100000;
