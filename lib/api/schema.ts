/** A JSON Schema (2020-12), as OpenAPI 3.1 takes it; one with a `title` becomes a component of that name. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** The schema of what the API shows as a `T`; `T` is known to the compiler alone. */
export type Schema<T = unknown> = JsonSchema & { readonly [shows]?: T };
declare const shows: unique symbol;

/** Any text. */
export const aText: Schema<string> = { type: 'string' };

/** The 32 characters of a token. */
export const aToken: Schema<string> = { type: 'string', pattern: '^[a-z0-9]{32}$' };

/** A whole number that counts something, from 0 on. */
export const aCount: Schema<number> = { type: 'integer', minimum: 0 };

/** True or false. */
export const aFlag: Schema<boolean> = { type: 'boolean' };

/** One of these words. */
export const aWord = <const Word extends string>(...words: readonly Word[]): Schema<Word> =>
  words.length === 1 ? { const: words[0] } : { type: 'string', enum: words };

/** A list of any length. */
export const listOf = <T>(items: Schema<T>): Schema<T[]> => ({ type: 'array', items });

/** The same, or null for what never was. */
export const orNull = <T>(schema: Schema<T>): Schema<T | null> => ({ anyOf: [schema, { type: 'null' }] });

/** One of several shapes. */
export const eitherOf = <T extends readonly unknown[]>(...schemas: { [At in keyof T]: Schema<T[At]> }): Schema<T[number]> => ({
  anyOf: schemas,
});

/** An object of exactly these fields; those in `optional` may be absent. */
export const record = <T extends object>(
  title: string,
  fields: { [Field in keyof T]-?: Schema<Exclude<T[Field], undefined>> },
  optional: readonly (keyof T)[] = [],
): Schema<T> => ({
  title,
  type: 'object',
  properties: fields,
  required: Object.keys(fields).filter((field) => !optional.includes(field as keyof T)),
  additionalProperties: false,
});
