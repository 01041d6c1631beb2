import type { Parameters } from '../../api/parameters.ts';
import { requireAdmin, requireScope } from '../../identity/caller.ts';
import { type Operations, operationFor } from '../operation.ts';
import type { CallerField, Step } from '../request.ts';

/**
 * Rejects, with 403, callers without the required administrator rights, and tokens without the
 * required scope.
 */
export function permission(operations: Operations): Step<Partial<CallerField>> {
  return {
    before: function refuseWithoutPermission({ event }) {
      const { access, scope, permit, path = {} } = operationFor(operations, event);
      if (access === 'admin') requireAdmin(event.caller);
      if (scope) requireScope(event.caller, scope);
      permit?.({ caller: event.caller, path: readable(path, event.pathParameters ?? {}) });
    },
  };
}

/** The variables of a path; an unreadable one is undefined. */
const readable = (declared: Parameters, sent: Record<string, string | undefined>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(declared).map(([name, { read }]) => [name, read(sent[name] ?? '')]));
