import { adminRequired } from '../../base/errors.ts';
import { isAdmin } from '../../identity/caller.ts';
import type { Operations } from '../operation.ts';
import type { Authenticated, Step } from '../request.ts';

/** Rejects everyone but administrators on a path that has operations for them alone, before anything else about it is told. */
export function adminOnly(operations: Operations): Step<Partial<Authenticated>> {
  const isAdminsAlone = Object.values(operations).every(({ access }) => access === 'admin');

  return {
    before: function refuseOthers({ event }) {
      if (isAdminsAlone && !isAdmin(event.caller)) throw adminRequired();
    },
  };
}
