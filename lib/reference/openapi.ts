import type { JsonSchema } from '../api/schema.ts';

/** The parts of an OpenAPI document that are read here. */
export type OpenApi = {
  info: { title: string; version: string; description: string };
  tags: { name: string; description: string }[];
  paths: Record<string, Record<string, Operation>>;
  'x-pages': Record<string, Record<string, Operation>>;
  'x-other-methods': Responses;
  'x-other-paths': Responses;
  components: { schemas: Record<string, JsonSchema>; headers: Record<string, Header>; responses: Record<string, Response> };
};
export type Operation = {
  operationId: string;
  summary: string;
  description?: string;
  tags: string[];
  security?: Record<string, string[]>[];
  'x-admin-only'?: true;
  parameters?: Parameter[];
  requestBody?: { required: boolean; content: Record<string, Content> };
  responses: Responses;
};
export type Parameter = {
  name: string;
  in: 'path' | 'query' | 'header';
  required: boolean;
  description?: string;
  schema: JsonSchema;
  example?: unknown;
};
export type Content = { schema: JsonSchema; example?: unknown; examples?: Record<string, { value: unknown }> };
export type Header = { description: string; required?: true; schema: JsonSchema };
export type Response = { description: string; headers?: Record<string, Header | Reference>; content?: Record<string, Content> };
export type Responses = Record<string, Response | Reference>;
export type Reference = { $ref: string; description?: string };

/** The value at a JSON pointer of the document after following references, and its own pointer. */
export function resolve<T extends object>(
  document: OpenApi,
  found: T | Reference,
  pointer: string,
): { value: T; pointer: string } {
  if (!('$ref' in found)) return { value: found as T, pointer };
  const target = found.$ref.slice(1);
  let value: unknown = document;
  for (const key of target.split('/').slice(1)) value = (value as Record<string, unknown>)[unescapePointer(key)];
  return { value: value as T, pointer: target };
}

/** Escapes a key for a JSON pointer. */
export const escapePointer = (key: string) => key.replaceAll('~', '~0').replaceAll('/', '~1');

const unescapePointer = (key: string) => key.replaceAll('~1', '/').replaceAll('~0', '~');
