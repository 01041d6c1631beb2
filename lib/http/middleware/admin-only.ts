import { permissionDenied } from '../../errors.ts';
import type { Operations } from '../operation.ts';
import type { Authenticated, Step } from '../request.ts';

/** Keeps everyone but admins off a path whose every operation is theirs, before anything else about it is told. */
export function adminOnly(operations: Operations): Step<Partial<Authenticated>> {
  const isWhollyAdmins = Object.values(operations).every(({ access }) => access === 'admin');

  return {
    before: function refuseOthers({ event }) {
      if (isWhollyAdmins && !event.caller?.user.is_admin) throw permissionDenied();
    },
  };
}
