import { methodNotAllowed } from '../../base/errors.ts';
import { isSpecified, type Operations } from '../operation.ts';
import { isHead, methodOf, type Step } from '../request.ts';

/** Rejects, with 405, methods that the path does not support. */
export function method({ operations, allow }: { operations: Operations; allow: string }): Step {
  return {
    before: function refuseUnknownMethod({ event }) {
      // Not `in`: every object has a `constructor`.
      const isAllowed = Object.hasOwn(operations, methodOf(event)) && !(isHead(event) && isSpecified(operations));
      if (!isAllowed) throw methodNotAllowed(allow);
    },
  };
}
