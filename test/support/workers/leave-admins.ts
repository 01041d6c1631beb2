import { ObjectId } from 'mongodb';
import { changeUser } from '../../../lib/accounts/accounts.ts';
import { deleteUser } from '../../../lib/accounts/deletion.ts';
import { serveParent, statusOf } from './worker.ts';

const ways = {
  demote: (id: ObjectId) => changeUser(id, { is_admin: false }),
  deactivate: (id: ObjectId) => changeUser(id, { is_active: false }),
  delete: deleteUser,
};

/** An administrator, and the way in which it shall cease to be one. */
export type Leaving = { id: string; way: keyof typeof ways };

await serveParent(({ id, way }: Leaving) => statusOf(ways[way](new ObjectId(id))));
