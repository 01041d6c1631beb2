import type { ObjectId } from 'mongodb';
import { deleteUser } from '../accounts/deletion.ts';
import type { Caller } from '../identity/caller.ts';
import { requireBot } from './bots.ts';

/**
 * Deletes a bot, for its owner or an administrator. Its messages stay, as those of a deleted user.
 */
export async function deleteBot(_id: ObjectId, caller: Caller): Promise<void> {
  await requireBot(_id, caller);
  await deleteUser(_id);
}
