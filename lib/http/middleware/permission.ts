import { permissionDenied } from '../../errors.ts';
import { type Operations, operationFor } from '../operation.ts';
import type { Authenticated, Step } from '../request.ts';

/** Refuses, with 403, an operation that needs an admin to everyone else, and one that the token's scopes do not reach. */
export function permission(operations: Operations): Step<Partial<Authenticated>> {
  return {
    before: function refuseWithoutPermission({ event }) {
      const { access, scope, permit } = operationFor(operations, event);
      if (access === 'admin' && !event.caller?.user.is_admin) throw permissionDenied();
      const confined = event.caller?.token.scopes ?? [];
      if (scope && confined.length > 0 && !confined.includes(scope))
        throw permissionDenied(`The token lacks the '${scope}' scope.`);
      permit?.({ caller: event.caller, path: event.pathParameters ?? {} });
    },
  };
}
