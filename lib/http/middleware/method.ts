import { methodNotAllowed } from '../../errors.ts';
import type { Operations } from '../operation.ts';
import { methodOf, type Step } from '../request.ts';

/** Rejects, with 405, the methods that the path does not have. */
export function method({ operations, allow }: { operations: Operations; allow: string }): Step {
  return {
    before: function refuseUnknownMethod({ event }) {
      // Not `in`: every object has a `constructor`.
      if (!Object.hasOwn(operations, methodOf(event))) throw methodNotAllowed(allow);
    },
  };
}
