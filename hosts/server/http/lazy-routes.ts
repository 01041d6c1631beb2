import { setTimeout as delay } from 'node:timers/promises';
import { describeError, log } from '../../../lib/base/log.ts';
import type { Handler } from '../../../lib/http/operation.ts';
import { failWith } from './rejections.ts';
import { loadHandler, type Match, matchRoutes, type Route, readRoutes } from './routes.ts';

/** A match with the loaded function. */
export type FoundRoute = Match & { handler: Handler };

/** Finds the handler for a method and a path: later, if its function is not loaded yet. */
export type FindRoute = (method: string, path: string) => FoundRoute | Promise<FoundRoute>;

/**
 * Imports each function at its first request: together they take a third of the CPU time of a
 * start. With `loadsOthers`, the first request also makes the others load in the background. So a
 * process in use does not mix two versions when an upgrade replaces its files. Health checks do not
 * count as use.
 */
export function loadRoutes({ routes = readRoutes(), loadsOthers = false } = {}): FindRoute {
  const match = matchRoutes(routes);
  const handlers = new Map<Route, Handler>();
  let isUsed = !loadsOthers;

  const load = async (route: Route): Promise<Handler> => {
    const handler = handlers.get(route) ?? (await loadHandler(route));
    handlers.set(route, handler);
    return handler;
  };

  const loadAll = async () => {
    for (const route of routes) {
      await delay(pauseMs, undefined, { ref: false });
      await load(route).catch((error) => log('error', 'function not loaded', { name: route.name, error: describeError(error) }));
    }
    log('info', 'functions loaded', { loaded: handlers.size, of: routes.length });
  };

  return (method, path) => {
    const { route, variables } = match(method, path);
    if (!isUsed && route.name !== 'health') {
      isUsed = true;
      void loadAll();
    }
    const handler = handlers.get(route);
    if (handler) return { route, variables, handler };
    return load(route)
      .catch(failWith)
      .then((handler) => ({ route, variables, handler }));
  };
}

/** The pause before each function that loads in the background, for the requests meanwhile. */
const pauseMs = 20;
