import { notFound } from '../base/errors.ts';
import { rejectWith } from './base-chain.ts';
import type { Handler } from './operation.ts';

/**
 * One handler for several paths, which share a function and a route with a variable. Each route of
 * a deployment is a resource, and their number is limited. The operations of the handler are those
 * of the first path.
 */
export function pathFamily(handlers: Record<string, Handler>): Handler {
  const noPath = rejectWith(() => notFound('path'));
  const answer: (...call: Parameters<Handler>) => ReturnType<Handler> = (event, context) => {
    const path = event?.rawPath ?? '';
    const found = Object.hasOwn(handlers, path) ? handlers[path] : undefined;
    // The log and the metrics tell the paths apart by their routes.
    return found ? found({ ...event, routeKey: `ANY ${path}` }, context) : noPath(event, context);
  };
  const family = Object.fromEntries(Object.entries(handlers).map(([path, { operations }]) => [path, operations]));
  return Object.assign(answer, { operations: Object.values(family)[0] ?? {}, family });
}
