import type { ObjectId } from 'mongodb';
import { permissionDenied } from '../errors.ts';
import type { Caller } from '../identity/tokens.ts';
import { check, members, moderators, type Rule } from '../rooms/access.ts';
import { changeMessage, requireLiving } from './change.ts';
import { findMentioned, membersAmong, mentionedNames } from './mentions.ts';
import type { Message } from './messages.ts';

/** Gives a message of one's own another text. */
export async function editMessage(id: ObjectId, caller: Caller, text: string): Promise<Message> {
  const mentioned = await findMentioned(text);
  return changeMessage(id, caller, (message, room) => {
    if (!message.user.equals(caller.user._id)) throw permissionDenied('Message author required.');
    check(members, room);
    requireLiving(message);
    return {
      rule: members,
      type: 'message.edited',
      withMembers: mentionedNames(text).length > 0,
      update: ({ at }, present) => ({ $set: { text, mentions: membersAmong(mentioned, present), edited_at: at } }),
    };
  });
}

/** Deletes a message: it keeps its place, and nothing of what it said. */
export async function deleteMessage(id: ObjectId, caller: Caller): Promise<void> {
  await changeMessage(id, caller, (message, room) => {
    const rule = deletionRule(caller, message.user);
    check(rule, room);
    if (message.deleted_at) return undefined;
    return {
      rule,
      type: 'message.deleted',
      update: ({ at }) => ({
        $set: { text: '', mentions: [], reactions: [], pinned_at: null, deleted_at: at },
        $unset: { is_pinned: '', request_hash: '' },
      }),
    };
  });
}

// Also in an archived room: what should not be said should not stay said.
function deletionRule({ user }: Caller, author: ObjectId): Rule {
  if (user.is_admin) return { whenArchived: true };
  return { ...(author.equals(user._id) ? members : moderators), whenArchived: true };
}
