import { ObjectId } from 'bson';
import { decodeStored } from '../../values/bson.ts';
import { DatabaseError } from '../../values/errors.ts';
import { type Doc, isDoc, type Value } from '../../values/value.ts';
import type { IndexField } from './index-keys.ts';
import { invertKey, nullKey, valueKey } from './key.ts';
import type { StoredIndex } from './stored-index.ts';

/** An error with additional fields. */
export class DetailedError extends DatabaseError {
  readonly details: Doc;
  constructor(code: number, message: string, details: Doc) {
    super(code, message);
    this.details = details;
  }
}

/** Error 11000: a unique index rejects the document. It names the index and the values. */
export function duplicateKey(namespace: string, index: StoredIndex, document: Buffer, key: Buffer): DetailedError {
  const keyValue = conflictingValues(index.fields, decodeStored(document), key);
  const shown = [...keyValue].map(([name, value]) => `${name}: ${showValue(value)}`).join(', ');
  return new DetailedError(
    11000,
    `E11000 duplicate key error collection: ${namespace} index: ${index.name} dup key: { ${shown} }`,
    new Map([
      ['keyPattern', index.pattern],
      ['keyValue', keyValue],
    ]),
  );
}

/** The document's values that make up an index key. For an array, that is one element. */
function conflictingValues(fields: readonly IndexField[], doc: Doc, key: Buffer): Doc {
  const found: Doc = new Map();
  let at = 0;
  for (const { name, descending } of fields) {
    const candidates = valuesAt(doc, name.split('.'));
    const keyed = candidates.map((value) => {
      const bytes = value === undefined ? nullKey : valueKey(value);
      return { value: value ?? null, bytes: descending ? invertKey(bytes) : bytes };
    });
    const match = keyed.find(({ bytes }) => key.subarray(at, at + bytes.length).equals(bytes));
    found.set(name, match?.value ?? null);
    at += match?.bytes.length ?? 0;
  }
  return found;
}

function valuesAt(value: Value | undefined, path: readonly string[]): (Value | undefined)[] {
  const [part, ...rest] = path;
  if (part === undefined) return Array.isArray(value) ? [...value, value] : [value];
  if (Array.isArray(value)) return [...value.flatMap((item) => valuesAt(item, path)), ...valuesAt(value[Number(part)], rest)];
  return isDoc(value) ? valuesAt(value.get(part), rest) : [undefined];
}

/** Formats a value for error messages. */
export function showValue(value: Value): string {
  if (typeof value === 'string') return JSON.stringify(value);
  if (value instanceof ObjectId) return `ObjectId('${value.toHexString()}')`;
  if (value instanceof Date) return `new Date(${value.getTime()})`;
  if (Array.isArray(value)) return `[ ${value.map(showValue).join(', ')} ]`;
  if (isDoc(value)) return `{ ${[...value].map(([name, field]) => `${name}: ${showValue(field)}`).join(', ')} }`;
  return String(value);
}
