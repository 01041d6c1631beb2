import { ObjectId } from 'mongodb';
import { changeUser } from '../../../lib/accounts/accounts.ts';
import { deleteUser } from '../../../lib/accounts/deletion.ts';
import { race, statusOf } from './race.ts';

const ways = {
  demote: (id: ObjectId) => changeUser(id, { is_admin: false }),
  deactivate: (id: ObjectId) => changeUser(id, { is_active: false }),
  delete: deleteUser,
};

/** An administrator, and the way to step down. */
export type StepDown = { id: string; way: keyof typeof ways };

await race(({ id, way }: StepDown) => statusOf(ways[way](new ObjectId(id))));
