import { Double, Int32, Long, ObjectId } from 'bson';
import { Reader } from '../values/bson-reader.ts';
import { DatabaseError } from '../values/errors.ts';
import { type RawValue, rawDocument, rawField } from '../values/raw.ts';
import { bsonType, typeNumber, type Value } from '../values/value.ts';
import { type Run, removed, type UpdateNode } from './tree.ts';

/** Types whose values have a fixed length. */
const fixedWidth: ReadonlySet<number> = new Set([
  bsonType.int,
  bsonType.long,
  bsonType.double,
  bsonType.date,
  bsonType.bool,
  bsonType.objectId,
]);

/** A new value that replaces one of the same type and length in place. */
type Change = { readonly start: number; readonly value: Value };

/**
 * Applies operators to an encoded document if each result has the type and length of the old value.
 * Returns the new document, or the same buffer if nothing changes. Returns `undefined` if the
 * update is more complicated or fails; the caller must decode the document then.
 */
export function applyRaw(root: UpdateNode, document: Buffer, run: Run): Buffer | undefined {
  try {
    const changes = changesOf(root, rawDocument(document), run);
    if (changes === undefined) return undefined;
    const after = Buffer.from(document);
    for (const { start, value } of changes) writeFixed(after, start, value);
    return after.equals(document) ? document : after;
  } catch (error) {
    if (error instanceof DatabaseError) return undefined;
    throw error;
  }
}

function changesOf(node: UpdateNode, at: RawValue, run: Run): Change[] | undefined {
  if (node.kind === 'leaf') {
    const reader = new Reader(at.bytes);
    reader.at = at.start;
    if (!fixedWidth.has(at.type)) return undefined;
    const value = node.modifier.update(reader.value(at.type, 1, at.end), run, '');
    if (value === removed || typeNumber(value) !== at.type) return undefined;
    return [{ start: at.start, value }];
  }
  if (node.kind === 'array' || at.type !== bsonType.object) return undefined;
  const changes: Change[] = [];
  for (const [name, child] of node.children) {
    const field = name === '_id' ? undefined : rawField(at, Buffer.from(name));
    const inField = field && changesOf(child, field, run);
    if (inField === undefined) return undefined;
    changes.push(...inField);
  }
  return changes;
}

/** Writes a value of a fixed-length type. */
function writeFixed(bytes: Buffer, start: number, value: Value): void {
  if (value instanceof Int32) bytes.writeInt32LE(value.value, start);
  else if (value instanceof Double) bytes.writeDoubleLE(value.value, start);
  else if (value instanceof Long) {
    bytes.writeInt32LE(value.low, start);
    bytes.writeInt32LE(value.high, start + 4);
  } else if (value instanceof Date) {
    const high = Math.floor(value.getTime() / 2 ** 32);
    bytes.writeUInt32LE(value.getTime() - high * 2 ** 32, start);
    bytes.writeInt32LE(high, start + 4);
  } else if (value instanceof ObjectId) bytes.set(value.id, start);
  else bytes[start] = Number(value);
}
