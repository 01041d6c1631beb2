import { ObjectId } from 'mongodb';
import { described, record, type Schema, type Shown } from './schema.ts';

const hexadecimal: Schema<string> = { type: 'string', pattern: '^[0-9a-f]{24}$' };
const dateTime: Schema<string> = { type: 'string', format: 'date-time' };

/** The schema of an id: MongoDB Extended JSON. */
export const idSchema = record('Id', { $oid: described('The 24 hexadecimal characters of the id.', hexadecimal) });
export type Id = Shown<typeof idSchema>;

/** The schema of a resource's own id. */
export const ownId = described('The id, for paths and for references from other objects.', idSchema);

/** The schema of a point in time: MongoDB Extended JSON. */
export const dateSchema = record('Time', { $date: described('The time, as ISO 8601 in UTC.', dateTime) });
export type DateTime = Shown<typeof dateSchema>;

/** Converts an id to its representation in the API. */
export const showId = (id: ObjectId): Id => ({ $oid: id.toHexString() });

/** Converts a time to its representation in the API. */
export const showDate = (date: Date): DateTime => ({ $date: date.toISOString() });

/** Converts an id from its representation in the API. */
export const toObjectId = ({ $oid }: Id): ObjectId => new ObjectId($oid);

/** Parses 24 hexadecimal characters as an id; undefined for anything else. */
export const parseId = (text: unknown): ObjectId | undefined =>
  typeof text === 'string' && /^[0-9a-f]{24}$/i.test(text) ? new ObjectId(text) : undefined;

/** Removes duplicate ids. */
export const distinct = (ids: ObjectId[]): ObjectId[] => [...new Map(ids.map((id) => [id.toHexString(), id])).values()];
