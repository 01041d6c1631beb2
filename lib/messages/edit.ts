import type { ObjectId } from 'mongodb';
import type { Precondition } from '../api/entity-tag.ts';
import { toObjectId } from '../api/extended-json.ts';
import { permissionDenied, type Refusal } from '../errors.ts';
import type { Caller } from '../identity/caller.ts';
import { noteMentions } from '../rooms/notes.ts';
import { refusalsOf, requirePermission } from '../rooms/permissions.ts';
import { changeMessage, type Decide, messageDeleted, requireNotDeleted } from './change.ts';
import { findMentioned, findMentions, membersAmong } from './mentions.ts';
import type { Message } from './messages.ts';

const authorRequired: Refusal = () => permissionDenied('author_required', 'Message author required.');
export const editRefusals = [authorRequired, messageDeleted, ...refusalsOf('edit')];

/** Changes the text of a message of the caller's own. */
export async function editMessage(id: ObjectId, text: string, caller: Caller, precondition?: Precondition): Promise<Message> {
  const mentions = findMentions(text);
  const accounts = await findMentioned(mentions);
  const decide: Decide = (message, room) => {
    if (!message.user.equals(caller.user._id)) throw authorRequired();
    requirePermission(room, 'edit');
    requireNotDeleted(message);
    return {
      action: 'edit',
      type: 'message.edited',
      withMembers: mentions.length > 0,
      update: (at, members) => ({ $set: { text, mentions: membersAmong(mentions, accounts, members), edited_at: at } }),
    };
  };
  const edited = await changeMessage(id, caller, decide, precondition);
  await noteMentions(toObjectId(edited.room), edited.seq, edited.mentions.map(toObjectId));
  return edited;
}

export const deleteMessageRefusals = refusalsOf('deleteMessage');

/** Deletes a message: it keeps its place, and nothing of what it said. */
export async function deleteMessage(id: ObjectId, caller: Caller, precondition?: Precondition): Promise<void> {
  const decide: Decide = (message, room) => {
    const action = message.user.equals(caller.user._id) ? 'deleteOwnMessage' : 'deleteMessage';
    requirePermission(room, action);
    if (message.deleted_at) return undefined;
    return {
      action,
      type: 'message.deleted',
      update: (at) => ({
        $set: { text: '', mentions: [], reactions: [], pinned_at: null, deleted_at: at },
        $unset: { is_pinned: '', request_hash: '' },
      }),
    };
  };
  await changeMessage(id, caller, decide, precondition);
}
