import { isDeepStrictEqual } from 'node:util';
import type { JsonSchema } from '../../lib/api/schema.ts';

/** Collects the schemas with a title, so that the document has each of them once. */
export function schemaCollector() {
  const schemas: Record<string, unknown> = {};

  /** Replaces every schema with a title by a reference. */
  function refer(schema: unknown): unknown {
    if (Array.isArray(schema)) return schema.map(refer);
    if (typeof schema !== 'object' || schema === null) return schema;
    const inner: Record<string, unknown> = Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, refer(value)]));
    const { description, ...thing } = inner;
    const { title } = thing;
    if (typeof title !== 'string') return inner;
    if (thing.properties) thing.properties = requireDescriptions(title, thing.properties);
    if (title in schemas && !isDeepStrictEqual(schemas[title], thing)) throw new Error(`Two schemas are called ${title}`);
    schemas[title] = thing;
    // A description outside of the component belongs to this use of it.
    return { ...(description !== undefined && { description }), $ref: `#/components/schemas/${title}` };
  }

  return { schemas, refer: refer as (schema: JsonSchema) => JsonSchema };
}

/** Puts the description of each property first. Throws if one is missing. */
const requireDescriptions = (title: string, properties: object) =>
  Object.fromEntries(
    Object.entries(properties).map(([name, { description, ...schema }]) => {
      if (description === undefined) throw new Error(`${title}.${name} lacks a description: declare it with 'described'`);
      return [name, { description, ...schema }];
    }),
  );

/** Collects headers by name and content, and replaces them by references. */
export function headerCollector() {
  const headers: Record<string, unknown> = {};

  return {
    headers,
    /**
     * Converts a response's headers to references. Different headers with the same name become
     * `Name` and `Name-2`.
     */
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
