import { readFileSync } from 'node:fs';
import { METHODS } from 'node:http';
import createRouter, { type HTTPMethod } from 'find-my-way';
import { load } from 'js-yaml';
import type { Handler } from '../../lib/http/request.ts';

const project = new URL('../../', import.meta.url);

/** One event of one function of `serverless.yml`: `path` is `*` for all that are no other's, `method` is `ANY` or one. */
export type Route = { name: string; method: string; path: string; file: string; exported: string };

/** What answers a request, and the variable parts of its path. */
export type Found = { route: Route; handler: Handler; variables: Record<string, string> | undefined };

/** Finds what answers a method of a path. */
export type FindRoute = (method: string, path: string) => Found;

/** Reads the routes, which are listed in `serverless.yml` and nowhere else. */
export function readRoutes(): Route[] {
  const { functions } = load(readFileSync(new URL('serverless.yml', project), 'utf8')) as {
    functions: Record<string, { handler: string; events: { httpApi: string }[] }>;
  };
  return Object.entries(functions).flatMap(([name, { handler, events }]) => {
    const [file, exported = ''] = handler.split('.');
    return events.map(({ httpApi }) => {
      const words = httpApi.split(' ');
      const path = words.at(-1) ?? '*';
      return { name, method: words.length > 1 ? (words[0] ?? '') : 'ANY', path, file: `${file}.ts`, exported };
    });
  });
}

/** Loads every function, and finds the one for a method and a path as API Gateway does: what a route spells out goes before what it leaves open. */
export async function loadRoutes(routes = readRoutes()): Promise<FindRoute> {
  const loaded = await Promise.all(routes.map(async (route) => ({ route, handler: await loadHandler(route) })));
  const fallback = loaded.find(({ route }) => route.path === '*');
  if (!fallback) throw new Error("serverless.yml has no function for '*'.");
  const other = { ...fallback, variables: undefined };

  const router = createRouter({ maxParamLength: 10_240 });
  // A route for one method goes before the one for ANY of the same path.
  for (const { route, handler } of loaded.toSorted((one, another) => order(one.route) - order(another.route))) {
    if (route.path === '*') continue;
    const path = route.path.replace(/\{\w+\+\}$/, '*').replaceAll(/\{(\w+)\}/g, ':$1');
    const methods = (route.method === 'ANY' ? METHODS : [route.method]) as HTTPMethod[];
    const free = methods.filter((method) => !router.hasRoute(method, path));
    if (free.length > 0) router.on(free, path, () => {}, { route, handler });
  }

  return (method, path) => {
    const found = router.find(method as HTTPMethod, path);
    // The gateway lets no variable part be empty.
    if (!found || Object.values(found.params).includes('')) return other;
    return { ...found.store, variables: nameGreedy(found.store.route.path, found.params) };
  };
}

const loadHandler = async ({ file, exported }: Route): Promise<Handler> => (await import(new URL(file, project).href))[exported];

const order = ({ method }: Route) => Number(method === 'ANY');

// The router calls what a greedy part matched `*`.
function nameGreedy(path: string, params: Record<string, string | undefined>): Record<string, string> | undefined {
  const { '*': rest, ...named } = params as Record<string, string>;
  const name = /\{(\w+)\+\}$/.exec(path)?.[1];
  const variables = rest === undefined || name === undefined ? named : { ...named, [name]: rest };
  return Object.keys(variables).length > 0 ? variables : undefined;
}
