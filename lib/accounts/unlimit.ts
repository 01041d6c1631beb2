import type { ObjectId } from 'mongodb';
import { forgetMails } from '../credentials/anonymous-limits.ts';
import { forgetAttempts } from '../credentials/login-limits.ts';
import { emailKey } from '../identity/account-names.ts';
import { forgetRate } from '../identity/write-rate.ts';
import { forgetAdditionLimit } from '../members/join-rules.ts';
import { forgetNewRoomLimit } from '../members/new-room.ts';
import { forgetConversationLimit } from '../rooms/conversations.ts';

/**
 * Resets all limits of an account, so that its owner can continue at once: changes, wrong logins,
 * e-mails, conversations, new rooms, added people.
 */
export async function unlimit(user: ObjectId, email: string | undefined): Promise<void> {
  await Promise.all([
    forgetRate(user),
    forgetAttempts(user.toHexString()),
    forgetConversationLimit(user),
    forgetNewRoomLimit(user),
    forgetAdditionLimit(user),
    email !== undefined && forgetMails(emailKey(email)),
  ]);
}
