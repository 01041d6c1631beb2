import { ObjectId } from 'mongodb';
import { described, record, type Schema, type Shown } from './schema.ts';

const hexadecimal: Schema<string> = { type: 'string', pattern: '^[0-9a-f]{24}$' };
const dateTime: Schema<string> = { type: 'string', format: 'date-time' };

/** An id as the API shows it: MongoDB Extended JSON. */
export const idSchema = record('Id', { $oid: described('The 24 hexadecimal characters of the id.', hexadecimal) });
export type Id = Shown<typeof idSchema>;

/** The id of a thing, as the thing shows it. */
export const ownId = described('The id, for paths and for references from other objects.', idSchema);

/** A point in time as the API shows it: MongoDB Extended JSON. */
export const dateSchema = record('Time', { $date: described('The time, as ISO 8601 in UTC.', dateTime) });
export type DateTime = Shown<typeof dateSchema>;

/** The id as the API shows it. */
export const showId = (id: ObjectId): Id => ({ $oid: id.toHexString() });

/** The time as the API shows it. */
export const showDate = (date: Date): DateTime => ({ $date: date.toISOString() });

/** The id that the API shows so. */
export const toObjectId = ({ $oid }: Id): ObjectId => new ObjectId($oid);

/** The id that 24 hexadecimal characters stand for, or undefined. */
export const parseId = (text: unknown): ObjectId | undefined =>
  typeof text === 'string' && /^[0-9a-f]{24}$/i.test(text) ? new ObjectId(text) : undefined;

/** Removes duplicate ids. */
export const distinct = (ids: ObjectId[]): ObjectId[] => [...new Map(ids.map((id) => [id.toHexString(), id])).values()];
