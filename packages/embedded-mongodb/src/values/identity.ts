import { DatabaseError } from './errors.ts';
import { bsonType, type Doc, typeName, typeNumber, type Value } from './value.ts';

/** Moves `_id` to the front, where MongoDB stores it. */
export function idFirst(doc: Doc): Doc {
  if (!doc.has('_id') || doc.keys().next().value === '_id') return doc;
  return new Map([['_id', doc.get('_id') as Value], ...doc]);
}

/** Throws if a value cannot be an `_id`. */
export function checkId(id: Value): void {
  const type = typeNumber(id);
  if (type === bsonType.array || type === bsonType.regex || type === bsonType.undefined)
    throw new DatabaseError(53, `The '_id' value cannot be of type ${typeName(id)}`);
}
