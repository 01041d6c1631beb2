import { adminRequired } from '../../base/errors.ts';
import { isAdmin } from '../../identity/caller.ts';
import type { Operations } from '../operation.ts';
import type { CallerField, Step } from '../request.ts';

/**
 * Rejects everybody except administrators on paths with only administrators' operations. It runs
 * early, so that the response reveals nothing else about the path.
 */
export function adminOnly(operations: Operations): Step<Partial<CallerField>> {
  const isAdminsAlone = Object.values(operations).every(({ access }) => access === 'admin');

  return {
    before: function refuseOthers({ event }) {
      if (isAdminsAlone && !isAdmin(event.caller)) throw adminRequired();
    },
  };
}
