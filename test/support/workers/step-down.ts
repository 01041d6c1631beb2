import { ObjectId } from 'mongodb';
import { changeUser } from '../../../lib/accounts/accounts.ts';
import { deleteUser } from '../../../lib/accounts/deletion.ts';
import { race, statusOf } from './race.ts';

const ways = {
  demote: (id: ObjectId) => changeUser(id, { is_admin: false }),
  deactivate: (id: ObjectId) => changeUser(id, { is_active: false }),
  delete: deleteUser,
};

/** An administrator, and the way to cease to be one. */
export type SteppingDown = { id: string; way: keyof typeof ways };

await race(({ id, way }: SteppingDown) => statusOf(ways[way](new ObjectId(id))));
