import type { ObjectId, UpdateFilter } from 'mongodb';
import { notFound } from '../errors.ts';
import { tokens } from '../identity/tokens.ts';
import { type UserDocument, users } from '../identity/users.ts';
import { leaveAllRooms } from '../members/leave-all-rooms.ts';
import { leaveAdmins } from './last-admin.ts';

/**
 * Deletes an account: 404 when there is none, 409 when it is the last administrator's. One write decides: it takes the name, the address and
 * the password away, and ends every token. What follows only tidies up; if the process dies before, deleting again, or
 * `finishDeletions()`, does the rest.
 */
export async function deleteUser(id: ObjectId): Promise<void> {
  const deleted = await leaveAdmins(id, deletion);
  if (!deleted && !(await users.findOne({ _id: id, has_leftovers: true }, { projection: { _id: 1 } }))) throw notFound('user');
  await tidyUp(id);
}

/** Tidies up after deletions that broke off; returns how many there were. */
export async function finishDeletions(): Promise<number> {
  const unfinished = await users.find({ has_leftovers: true }, { projection: { _id: 1 } }).toArray();
  for (const { _id } of unfinished) await tidyUp(_id);
  return unfinished.length;
}

const deletion = {
  $set: { is_admin: false, is_active: false, has_leftovers: true },
  $currentDate: { deleted_at: true },
  $unset: { username: '', email: '', email_key: '', password_hash: '' },
} as UpdateFilter<Omit<UserDocument, '_id'>>;

async function tidyUp(id: ObjectId): Promise<void> {
  await Promise.all([leaveAllRooms(id), tokens.deleteMany({ user: id })]);
  await users.updateOne({ _id: id }, { $unset: { has_leftovers: '' } });
}
