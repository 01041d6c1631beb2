import type { ObjectId } from 'mongodb';
import { concurrently } from '../base/concurrently.ts';
import { conflict, type Refusal } from '../base/errors.ts';
import { users } from '../collections/accounts/users.ts';
import { type MessageDocument, messages } from '../collections/rooms/messages.ts';
import { type RoomDocument, rooms } from '../collections/rooms/rooms.ts';
import { commandLine } from '../identity/caller.ts';
import { noSuchUser } from '../identity/users.ts';
import { deleteMessage } from '../messages/edit.ts';
import { changeUser } from './accounts.ts';
import { deleteUser } from './deletion.ts';

/* Deletes an account and everything that its owner wrote, on their request (GDPR, article 17). */

const accountHeld: Refusal = () => conflict('account_held', 'The messages of this account are on hold: release it first.');

/**
 * The number of deleted messages (with their files), and of messages that stay because their rooms
 * are on hold.
 */
export type Erasure = { messages: number; held: number };

/**
 * Deletes an account and its messages, or the messages of a deleted account. It first deactivates
 * the account, so that nothing is added meanwhile. If it is interrupted, run it again. 409 for an
 * account on hold and for the last administrator.
 */
export async function eraseUser(_id: ObjectId, progress: (done: number, all: number) => void): Promise<Erasure> {
  const found = await users.unscoped.findOne({ _id, webhook_of: { $exists: false } });
  if (!found) throw noSuchUser();
  if (found.is_held) throw accountHeld();
  if (!found.deleted_at && found.is_active) await changeUser(_id, { is_active: false });
  const erasure: Erasure = { messages: 0, held: 0 };
  const all = await rooms.find<WrittenRoom>({}, { projection: { is_held: 1 } }).toArray();
  for (const [index, room] of all.entries()) {
    await eraseIn(room, _id, erasure);
    progress(index + 1, all.length);
  }
  if (!found.deleted_at) await deleteUser(_id);
  return erasure;
}

type WrittenRoom = Pick<RoomDocument, '_id' | 'is_held'>;

/**
 * Deletes a user's messages in a room as the user would: each leaves a tombstone without its text.
 */
async function eraseIn({ _id: room, is_held }: WrittenRoom, user: ObjectId, erasure: Erasure): Promise<void> {
  const theirs = { room, user, deleted_at: null };
  if (is_held) {
    erasure.held += await messages.countDocuments(theirs);
    return;
  }
  for (let after = 0; ; ) {
    const options = { sort: { seq: 1 as const }, limit: pageSize, projection: { seq: 1 } };
    const some = await messages.find<Written>({ ...theirs, seq: { $gt: after } }, options).toArray();
    await concurrently(some, atOnce, ({ _id }) => deleteMessage(_id, commandLine));
    erasure.messages += some.length;
    after = some.at(-1)?.seq ?? after;
    if (some.length < pageSize) return;
  }
}

type Written = Pick<MessageDocument, '_id' | 'seq'>;
const pageSize = 100;
const atOnce = 4;
