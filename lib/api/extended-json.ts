import { ObjectId } from 'mongodb';
import { notFound } from '../errors.ts';
import { record } from './schema.ts';

/** An id as the API shows it: MongoDB Extended JSON. */
export type Id = { $oid: string };

export const idSchema = record<Id>('Id', { $oid: { type: 'string', pattern: '^[0-9a-f]{24}$' } });

/** The id as the API shows it. */
export const showId = (id: ObjectId): Id => ({ $oid: id.toHexString() });

/** The id that 24 hexadecimal characters stand for, or undefined. */
export const parseId = (text: unknown): ObjectId | undefined =>
  typeof text === 'string' && /^[0-9a-f]{24}$/i.test(text) ? new ObjectId(text) : undefined;

/** The same ids, each once. */
export const distinct = (ids: ObjectId[]): ObjectId[] => [...new Map(ids.map((id) => [id.toHexString(), id])).values()];

/** The id in a path; one that can't be an id is that of nothing: 404. */
export function pathId(text: string | undefined, thing: string): ObjectId {
  const id = parseId(text);
  if (!id) throw notFound(thing);
  return id;
}
