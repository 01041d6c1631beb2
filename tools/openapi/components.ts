import { isDeepStrictEqual } from 'node:util';
import type { JsonSchema } from '../../lib/api/schema.ts';
import { meaningOfField } from './meanings.ts';

/** Collects the schemas that have a title, so that each is in the document once. */
export function schemaCollector() {
  const schemas: Record<string, unknown> = {};

  /** The same schema, with a reference in place of every schema that has a title. */
  function refer(schema: unknown): unknown {
    if (Array.isArray(schema)) return schema.map(refer);
    if (typeof schema !== 'object' || schema === null) return schema;
    const inner: Record<string, unknown> = Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, refer(value)]));
    if (!('title' in schema) || typeof schema.title !== 'string') return inner;
    if (inner.properties) inner.properties = withMeanings(schema.title, inner.properties);
    if (schema.title in schemas && !isDeepStrictEqual(schemas[schema.title], inner)) {
      throw new Error(`Two schemas are called ${schema.title}`);
    }
    schemas[schema.title] = inner;
    return { $ref: `#/components/schemas/${schema.title}` };
  }

  return { schemas, refer: refer as (schema: JsonSchema) => JsonSchema };
}

/** The fields of a thing, each with what it is for in the first place. */
const withMeanings = (title: string, properties: object) =>
  Object.fromEntries(
    Object.entries(properties).map(([name, { description = meaningOfField(title, name), ...schema }]) => [
      name,
      { description, ...schema },
    ]),
  );

/** Collects headers by name and content, and replaces them by references. */
export function headerCollector() {
  const headers: Record<string, unknown> = {};

  return {
    headers,
    /** A response's headers as references; two different headers of one name become `Name` and `Name-2`. */
    refer: (all: Record<string, unknown>) =>
      Object.fromEntries(
        Object.entries(all).map(([name, header]) => {
          for (let copy = 1; ; copy++) {
            const key = copy === 1 ? name : `${name}-${copy}`;
            headers[key] ??= header;
            if (isDeepStrictEqual(headers[key], header)) return [name, { $ref: `#/components/headers/${key}` }];
          }
        }),
      ),
  };
}
