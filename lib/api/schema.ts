/**
 * A JSON Schema (2020-12), as in OpenAPI 3.1. A schema with a `title` becomes a component of that
 * name.
 */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** The schema of a value of type `T`, which exists for the compiler only. */
export type Schema<T = unknown> = JsonSchema & { readonly [shows]?: T };
declare const shows: unique symbol;

/** The type of the values of a schema. */
export type Shown<S> = S extends { readonly [shows]?: infer T } ? Exclude<T, undefined> : never;

export const aText: Schema<string> = { type: 'string' };

const token = '^[a-z0-9]{32}$';
const tokenPattern = new RegExp(token);

/**
 * A schema with a sentence for the API's description. The sentence gives the purpose of a field if
 * its name and type do not.
 */
export const described = <T>(description: string, schema: Schema<T>): Schema<T> => ({ ...schema, description });

/** The 32 characters of a token. */
export const aToken: Schema<string> = { type: 'string', pattern: token };

/** Returns true if a value has the format of a token. */
export const isToken = (sent: unknown): sent is string => typeof sent === 'string' && tokenPattern.test(sent);

/** A whole number that counts something: at least 0. */
export const aCount: Schema<number> = { type: 'integer', minimum: 0 };

/** True or false. */
export const aFlag: Schema<boolean> = { type: 'boolean' };

/** True; the field is otherwise absent. */
export const aTrue: Schema<true> = { const: true };

/** False; the field is otherwise absent. */
export const aFalse: Schema<false> = { const: false };

export const aNull: Schema<null> = { type: 'null' };

/** A text that is one of these words. */
export const aWord = <const Word extends string>(...words: readonly Word[]): Schema<Word> =>
  words.length === 1 ? { const: words[0] } : { type: 'string', enum: words };

/** The field that distinguishes the shapes of a union. */
export const aType = <const Word extends string>(...words: readonly Word[]): Schema<Word> =>
  described('The kind, which determines the other fields.', aWord(...words));

/** A list of any length. */
export const listOf = <T>(items: Schema<T>): Schema<T[]> => ({ type: 'array', items });

/** A schema that also allows null. */
export const orNull = <T>(schema: Schema<T>): Schema<T | null> => ({ anyOf: [schema, aNull] });

/** A value that has one of several shapes. */
export const eitherOf = <const S extends readonly Schema[]>(...schemas: S): Schema<Shown<S[number]>> => ({ anyOf: schemas });

/** A value that has one of several shapes; a component of the API with this title. */
export const union = <const S extends readonly Schema[]>(title: string, ...schemas: S): Schema<Shown<S[number]>> => ({
  title,
  anyOf: schemas,
});

/**
 * An object with exactly these fields, each of them `described`. Fields in `optional` can be
 * absent.
 */
export const record = <F extends Fields, const Absent extends keyof F & string = never>(
  title: string,
  fields: F,
  optional: readonly Absent[] = [],
): Schema<ShownFields<F, Absent>> => ({
  title,
  type: 'object',
  properties: fields,
  required: Object.keys(fields).filter((field) => !(optional as readonly string[]).includes(field)),
  additionalProperties: false,
});

/** The schemas of an object's fields by name. */
export type Fields = Readonly<Record<string, Schema>>;

/** The type of an object with these fields; those in `Absent` can be absent. */
export type ShownFields<F extends Fields, Absent extends keyof F = never> = Flat<
  { [Name in Exclude<keyof F, Absent>]: Shown<F[Name]> } & { [Name in Absent]?: Shown<F[Name]> }
>;

// Flattens an intersection into one object type, which editors show readably.
type Flat<T> = { [Name in keyof T]: T[Name] };
