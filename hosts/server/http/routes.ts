import { readFileSync } from 'node:fs';
import createRouter, { type HTTPMethod } from 'find-my-way';
import { load } from 'js-yaml';
import type { Handler } from '../../../lib/http/operation.ts';

// serverless-offline loads this before the settings are complete, so it runs no code of `lib/`.

const project = new URL('../../../', import.meta.url);

/**
 * One HTTP event of a function in `serverless.yml`. The path `*` matches all paths that no other
 * route has. The method is `ANY` or a single method.
 */
export type Route = { name: string; method: string; path: string; file: string; exported: string };

/** The route of a request, and the variables of its path. */
export type Match = { route: Route; variables: Record<string, string> | undefined };

/** Reads `serverless.yml`, as far as its callers need it. */
export const readServerless = () =>
  load(readFileSync(new URL('serverless.yml', project), 'utf8')) as {
    functions: Record<string, { handler: string; role?: string; events?: { httpApi?: string }[] }>;
  };

/** The routes of the service. `serverless.yml` is their only source. */
export function readRoutes(): Route[] {
  return Object.entries(readServerless().functions).flatMap(([name, { handler, events = [] }]) => {
    const [file, exported = ''] = handler.split('.');
    return events.flatMap(({ httpApi }) => {
      // Other events do not belong to the HTTP API.
      if (httpApi === undefined) return [];
      const words = httpApi.split(' ');
      const path = words.at(-1) ?? '*';
      return { name, method: words.length > 1 ? (words[0] ?? '') : 'ANY', path, file: `${file}.ts`, exported };
    });
  });
}

/** Imports the function of a route. */
export const loadHandler = async ({ file, exported }: Pick<Route, 'file' | 'exported'>): Promise<Handler> =>
  (await import(new URL(file, project).href))[exported];

/** Finds routes as API Gateway does: a literal path segment takes precedence over a variable. */
export function matchRoutes(routes: Route[]): (method: string, path: string) => Match {
  const fallback = routes.find(({ path }) => path === '*');
  if (!fallback) throw new Error("The function for '*' is missing in serverless.yml.");

  const router = createRouter({ maxParamLength: 10_240 });
  const named = new Set(routes.map(({ method }) => method).filter((method) => method !== 'ANY'));
  const all = [...named, other] as HTTPMethod[];
  // A route for one method takes precedence over ANY of the same path.
  for (const route of routes.toSorted((one, another) => order(one) - order(another))) {
    if (route.path === '*') continue;
    const path = route.path.replace(/\{\w+\+\}$/, '*').replaceAll(/\{(\w+)\}/g, ':$1');
    const methods = route.method === 'ANY' ? all : [route.method as HTTPMethod];
    const free = methods.filter((method) => !router.hasRoute(method, path));
    if (free.length > 0) router.on(free, path, () => {}, route);
  }

  return (method, path) => {
    const found = router.find((named.has(method) ? method : other) as HTTPMethod, path);
    const variables = found && readVariables(found.store.path, found.params);
    return found && variables !== null ? { route: found.store, variables } : { route: fallback, variables: undefined };
  };
}

/** The variables of a path; null if one is empty, which the gateway does not allow. */
function readVariables(path: string, params: Record<string, string | undefined>): Match['variables'] | null {
  let variables: Record<string, string> | undefined;
  for (const part in params) {
    const value = params[part] as string;
    if (value === '') return null;
    variables ??= {};
    // The router calls a greedy variable `*`.
    variables[part === '*' ? greedyName(path) : part] = value;
  }
  return variables;
}

const greedyName = (path: string): string => /\{(\w+)\+\}$/.exec(path)?.[1] ?? '*';

/**
 * Represents all methods that no route names. Registering each of them takes a tenth of a second.
 */
const other = 'UNLINK';

const order = ({ method }: Route) => Number(method === 'ANY');
