import type { Parameters } from '../../api/parameters.ts';
import { requireAdmin, requireScope } from '../../identity/caller.ts';
import { type Operations, operationFor } from '../operation.ts';
import type { Authenticated, Step } from '../request.ts';

/**
 * Rejects, with 403, callers who are not the administrators that an operation needs, and tokens whose scopes do not
 * include it.
 */
export function permission(operations: Operations): Step<Partial<Authenticated>> {
  return {
    before: function refuseWithoutPermission({ event }) {
      const { access, scope, permit, path = {} } = operationFor(operations, event);
      if (access === 'admin') requireAdmin(event.caller);
      if (scope) requireScope(event.caller, scope);
      permit?.({ caller: event.caller, path: readable(path, event.pathParameters ?? {}) });
    },
  };
}

/** The variables of a path; one that cannot be read is undefined. */
const readable = (declared: Parameters, sent: Record<string, string | undefined>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(declared).map(([name, { read }]) => [name, read(sent[name] ?? '')]));
