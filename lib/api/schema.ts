/** A JSON Schema (2020-12), as OpenAPI 3.1 takes it; one with a `title` becomes a component of that name. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** The schema of what the API shows as a `T`; only the compiler knows `T`. */
export type Schema<T = unknown> = JsonSchema & { readonly [shows]?: T };
declare const shows: unique symbol;

/** The type of what the API shows by a schema. */
export type Shown<S> = S extends { readonly [shows]?: infer T } ? Exclude<T, undefined> : never;

/** Any text. */
export const aText: Schema<string> = { type: 'string' };

const token = '^[a-z0-9]{32}$';
const tokenPattern = new RegExp(token);

/**
 * A schema with a sentence for the API's description. It says what a field is for, where the field's name and type do
 * not.
 */
export const described = <T>(description: string, schema: Schema<T>): Schema<T> => ({ ...schema, description });

/** The 32 characters of a token. */
export const aToken: Schema<string> = { type: 'string', pattern: token };

/** Whether something may be a token at all. */
export const isToken = (sent: unknown): sent is string => typeof sent === 'string' && tokenPattern.test(sent);

/** A whole number that counts something, from 0 on. */
export const aCount: Schema<number> = { type: 'integer', minimum: 0 };

/** True or false. */
export const aFlag: Schema<boolean> = { type: 'boolean' };

/** True, of what is otherwise absent. */
export const aTrue: Schema<true> = { const: true };

/** False, of what is otherwise absent. */
export const aFalse: Schema<false> = { const: false };

/** Nothing. */
export const aNull: Schema<null> = { type: 'null' };

/** A text that is one of these words. */
export const aWord = <const Word extends string>(...words: readonly Word[]): Schema<Word> =>
  words.length === 1 ? { const: words[0] } : { type: 'string', enum: words };

/** The word by which shapes of one kind are told apart. */
export const aType = <const Word extends string>(...words: readonly Word[]): Schema<Word> =>
  described('The kind, which determines the other fields.', aWord(...words));

/** A list of any length. */
export const listOf = <T>(items: Schema<T>): Schema<T[]> => ({ type: 'array', items });

/** A schema that also allows null. */
export const orNull = <T>(schema: Schema<T>): Schema<T | null> => ({ anyOf: [schema, aNull] });

/** A value that has one of several shapes. */
export const eitherOf = <const S extends readonly Schema[]>(...schemas: S): Schema<Shown<S[number]>> => ({ anyOf: schemas });

/** A value that has one of several shapes, under a title of its own. */
export const union = <const S extends readonly Schema[]>(title: string, ...schemas: S): Schema<Shown<S[number]>> => ({
  title,
  anyOf: schemas,
});

/** An object of exactly these fields, each of them `described`; those in `optional` may be absent. */
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

/** The type of an object with such fields, of which some may be absent. */
export type ShownFields<F extends Fields, Absent extends keyof F = never> = Flat<
  { [Name in Exclude<keyof F, Absent>]: Shown<F[Name]> } & { [Name in Absent]?: Shown<F[Name]> }
>;

// The same type in one piece, as people want to read it in an editor.
type Flat<T> = { [Name in keyof T]: T[Name] };
