import type { ObjectId, UpdateFilter } from 'mongodb';
import { regardlessOfDeadline } from '../base/deadline.ts';
import { activities } from '../collections/accounts/activities.ts';
import { type UserDocument, users } from '../collections/accounts/users.ts';
import { forgetCodesOf } from '../credentials/codes.ts';
import { forgetAttempts } from '../credentials/login-limits.ts';
import { forgetPasskeys } from '../credentials/passkey-removal.ts';
import { forgetAvatar } from '../files/avatars.ts';
import { removeFiles } from '../files/removal.ts';
import { noSuchUser } from '../identity/users.ts';
import { forgetRate } from '../identity/write-rate.ts';
import { forgetBans } from '../members/bans.ts';
import { forgetAdditionLimit } from '../members/join-rules.ts';
import { leaveAllRooms } from '../members/leave-all-rooms.ts';
import { forgetMadeBy } from '../members/made.ts';
import { forgetNewRoomLimit } from '../members/new-room.ts';
import { silenceBot, silenceBotsOf } from '../members/silenced-bots.ts';
import { forgetSaved } from '../messages/saved.ts';
import { forgetConversationLimit } from '../rooms/conversations.ts';
import { forgetThreads } from '../rooms/followed-threads.ts';
import { forgetNotifications } from '../rooms/notifications.ts';
import { deleteReadMarkers } from '../rooms/read-markers.ts';
import { forgetDigests } from './digest-links.ts';
import { stepDownAdmin } from './last-admin.ts';

/**
 * Deletes an account: 404 when it does not exist, 409 when it is the last administrator's. One
 * write decides: it removes the name, the address and the password, and ends every token. The rest
 * only tidies up; if the process dies before, deleting again, or `finishDeletions()`, does the
 * rest.
 */
export async function deleteUser(id: ObjectId): Promise<void> {
  const deleted = await stepDownAdmin(id, deletion);
  if (!deleted && !(await users.unscoped.findOne({ _id: id, has_leftovers: true }, { projection: { _id: 1 } })))
    throw noSuchUser();
  await tidyUp(id);
}

/** Tidies up after deletions that were cut off; returns how many there were. */
export async function finishDeletions(): Promise<number> {
  const unfinished = await users.unscoped.find({ has_leftovers: true }, { projection: { _id: 1 } }).toArray();
  for (const { _id } of unfinished) await tidyUp(_id);
  return unfinished.length;
}

const deletion = {
  $set: { is_admin: false, is_active: false, has_leftovers: true },
  $currentDate: { deleted_at: true },
  $unset: {
    username: '',
    name: '',
    name_beginnings: '',
    email_beginnings: '',
    avatar: '',
    status: '',
    quiet_until: '',
    quiet_hours: '',
    shows_presence: '',
    hides_push_text: '',
    email_digest: '',
    email: '',
    email_key: '',
    password_hash: '',
    confirmed_email: '',
    identity: '',
    blocked: '',
    imported: '',
    owner: '',
    second_factor: '',
    pending_second_factor: '',
    passkey_generation: '',
  },
} as UpdateFilter<Omit<UserDocument, '_id'>>;

const tidyUp = (id: ObjectId): Promise<void> =>
  regardlessOfDeadline(async () => {
    await Promise.all([
      leaveAllRooms(id),
      silenceBot(id),
      forgetPasskeys(id),
      forgetCodesOf(id),
      forgetMadeBy(id, 'all'),
      silenceBotsOf(id, { isDeleted: true }),
    ]);
    // A user who is in no room can no longer be banned from one.
    await Promise.all([
      forgetBans(id),
      deleteReadMarkers(id),
      forgetSaved(id),
      forgetThreads(id),
      forgetNotifications(id),
      forgetDigests(id),
      forgetAttempts(id.toHexString()),
      forgetRate(id),
      forgetConversationLimit(id),
      forgetNewRoomLimit(id),
      forgetAdditionLimit(id),
      forgetAvatar(id),
      activities.deleteMany({ _id: id }),
      // Those in messages stay, as the messages do.
      removeFiles({ user: id, state: { $in: ['reserved', 'stored'] } }),
    ]);
    await users.unscoped.updateOne({ _id: id }, { $unset: { has_leftovers: '' } });
  });
