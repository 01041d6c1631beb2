import type { Document, ObjectId } from 'mongodb';
import { dateSchema, idSchema, ownId, showDate, showId } from './extended-json.ts';
import { described, orNull, record, type Schema, type ShownFields } from './schema.ts';

/**
 * One field of a representation: its schema, the function that makes it from the stored document,
 * and the stored fields that the function reads.
 */
type Field<Stored, T> = { schema: Schema<T>; show: (stored: Stored) => T; reads: Document };

/**
 * The API's representation of a stored document: one table of fields gives the schemas, the
 * projection and the value.
 */
export type Representation<Stored, T, F = unknown> = {
  schema: Schema<T>;
  /** The schemas of the fields. */
  fields: F;
  /** The projection to the stored fields that `show` reads. */
  reads: Document;
  show: (stored: Stored) => T;
};

/** The type of the values that a representation makes. */
export type ShownBy<R> = R extends Representation<never, infer T> ? T : never;

/**
 * Helpers to declare the representation of a `Stored`: each field names the stored field that it
 * comes from.
 */
export function shownFrom<Stored extends object>() {
  const from = <Value, T>(name: string, schema: Schema<T>, show: (value: Value) => T): Field<Stored, T> => ({
    schema,
    show: (stored) => show((stored as Record<string, unknown>)[name] as Value),
    reads: { [name]: 1 },
  });

  return {
    /** The stored value as it is. */
    as: <Name extends keyof Stored & string>(schema: Schema<Exclude<Stored[Name], undefined>>, name: Name) =>
      from(name, schema, (value: Exclude<Stored[Name], undefined>) => value),

    /** The document's own id, as `{$oid}`. */
    ownId: from('_id', ownId, showId),

    /** An id, as `{$oid}`. */
    id: (name: KeyOf<Stored, ObjectId>, description: string) => from(name, described(description, idSchema), showId),

    /** A time, as `{$date}`. */
    date: (name: KeyOf<Stored, Date>, description: string) => from(name, described(description, dateSchema), showDate),

    /** A time, as `{$date}`, or null. */
    dateOrNull: (name: KeyOf<Stored, Date | null>, description: string) =>
      from(name, described(description, orNull(dateSchema)), (date: Date | null) => date && showDate(date)),

    /** A value made from the stored fields in the projection `reads`. */
    made: <T>(schema: Schema<T>, show: (stored: Stored) => T, reads: Document = {}): Field<Stored, T> => ({
      schema,
      show,
      reads,
    }),

    /**
     * The whole representation: a component of the API with the name `title`. Fields in `optional`
     * are absent if nothing is stored.
     */
    representation: <T extends Table<Stored>, const Absent extends keyof T & string = never>(
      title: string,
      table: T,
      optional: readonly Absent[] = [],
    ): Representation<Stored, ShownFields<SchemasOf<T>, Absent>, SchemasOf<T>> => {
      const fields = Object.entries<Field<Stored, unknown>>(table);
      const schemas = Object.fromEntries(fields.map(([name, { schema }]) => [name, schema])) as SchemasOf<T>;
      return {
        schema: record(title, schemas, optional),
        fields: schemas,
        reads: Object.assign({}, ...fields.map(([, { reads }]) => reads)),
        show: (stored) => {
          const shown: Record<string, unknown> = {};
          for (const [name, { show }] of fields) {
            const value = show(stored);
            if (value !== undefined) shown[name] = value;
          }
          return shown as ShownFields<SchemasOf<T>, Absent>;
        },
      };
    },
  };
}

type KeyOf<Stored, Value> = { [Name in keyof Stored]-?: Stored[Name] extends Value ? Name : never }[keyof Stored] & string;

// biome-ignore lint/suspicious/noExplicitAny: the fields of one thing, each of a type of its own
type Table<Stored> = Readonly<Record<string, Field<Stored, any>>>;

// biome-ignore lint/suspicious/noExplicitAny: whatever it is made from
type SchemasOf<T> = { [Name in keyof T]: T[Name] extends Field<any, infer Value> ? Schema<Value> : never };
