import type { OpenApi, Operation } from '../../lib/reference/openapi.ts';

/** An operation of the document, with its method and path. */
export type ListedOperation = Operation & { method: string; path: string };

/** Every operation of the document. */
export const listOperations = ({ paths }: OpenApi): ListedOperation[] =>
  Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ ...operation, method: method.toUpperCase(), path })),
  );

/** The example request of an operation. `variables` and `query` override values of the example. */
export function exampleRequest(
  { path, parameters = [], requestBody }: ListedOperation,
  { variables = {}, query = {} }: { variables?: Record<string, string>; query?: Record<string, string> } = {},
): { address: string; body?: unknown } {
  const given = Object.fromEntries(parameters.map(({ name, example }) => [name, String(example ?? '')]));
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name) => encodeURIComponent(variables[name] ?? given[name] ?? ''));
  const examples = parameters.filter((parameter) => parameter.in === 'query' && parameter.example !== undefined);
  const asked = Object.fromEntries(examples.map(({ name }) => [name, given[name] ?? '']));
  const search = new URLSearchParams({ ...asked, ...query });
  const body = Object.values(requestBody?.content ?? {})[0]?.example;
  return { address: search.size > 0 ? `${filled}?${search}` : filled, ...(body !== undefined && { body }) };
}
