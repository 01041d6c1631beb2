import type { ObjectId } from 'mongodb';
import type { Precondition } from '../api/entity-tag.ts';
import { distinct, toObjectId } from '../api/extended-json.ts';
import { conflict, permissionDenied, type Refusal } from '../base/errors.ts';
import { type MessageDocument, messages } from '../collections/rooms/messages.ts';
import { saved } from '../collections/rooms/saved.ts';
import { expectRemoval, removeFiles } from '../files/removal.ts';
import type { Caller } from '../identity/caller.ts';
import type { RoomContext } from '../rooms/contexts.ts';
import { doubtUnread, followMentioned } from '../rooms/followed-threads.ts';
import { noteMentions } from '../rooms/notes.ts';
import { refusalsOf, requirePermission } from '../rooms/permissions.ts';
import { findReaders } from '../rooms/read-markers.ts';
import type { Place } from '../rooms/sequence.ts';
import { type Change, changeMessage, type Decide, messageDeleted, requireNotDeleted } from './change.ts';
import { unsetContent } from './content.ts';
import { findMentioned, findMentions, forAllIn, type Mentions, membersAmong } from './mentions.ts';
import { type Message, requireContent } from './messages.ts';
import { messageAnswered, requireUnanswered } from './questions/question.ts';
import { tokensOf } from './search/tokens.ts';

export const authorRequired: Refusal = () => permissionDenied('author_required', 'Message author required.');
const stillStreaming: Refusal = () => conflict('message_streaming', 'The message still streams. Finish it first.');
export const editRefusals = [authorRequired, messageDeleted, messageAnswered, stillStreaming, ...refusalsOf('edit')];

/** Changes the text of a message of the caller's own; its files stay. */
export const editMessage = (id: ObjectId, text: string, caller: Caller, precondition?: Precondition): Promise<Message> =>
  changeText(
    id,
    text,
    caller,
    {
      action: 'edit',
      type: 'message.edited',
      isWanted: (message, room) => {
        if (!message.user.equals(caller.user._id)) throw authorRequired();
        requirePermission(room, 'edit');
        requireNotDeleted(message);
        if (message.streaming) throw stillStreaming();
        requireContent(text, message.files);
        return true;
      },
      update: (at) => ({ $set: { edited_at: at } }),
    },
    precondition,
  );

/** A change of a text: an edit, or the end of a stream. */
type TextChange = Pick<Change, 'action' | 'type' | 'where'> & {
  /** Throws if the change is refused; false if there is nothing to do. */
  isWanted: (message: MessageDocument, room: RoomContext) => boolean;
  /** Changes of other fields, at the time of the change. */
  update: (at: Date) => { $set: Partial<MessageDocument>; $unset?: Record<string, ''> };
};

/** Changes a text, with its search tokens and the members whom it mentions. */
export async function changeText(
  id: ObjectId,
  text: string,
  caller: Caller,
  { isWanted, update, ...change }: TextChange,
  precondition?: Precondition,
): Promise<Message> {
  const mentions = findMentions(text);
  const accounts = await findMentioned(mentions);
  let place: Place | undefined;
  let thread: ObjectId | undefined;
  let readers: ObjectId[] = [];
  const decide: Decide = (message, room) => {
    if (!isWanted(message, room)) return undefined;
    return {
      ...change,
      where: { ...change.where, ...requireUnanswered(message, text) },
      withMembers: mentions.length > 0,
      before: async () => {
        const added = [...accounts.values()].filter((user) => !isAmong(message.mentions, user));
        readers = await findReaders(message.room, message.seq, added);
      },
      update: (taken, members) => {
        const { at, seq } = taken;
        place = taken;
        thread = message.thread ?? undefined;
        const mentioned = membersAmong(mentions, accounts, members);
        const late = message.is_folded ? [] : readers.filter((user) => isAmong(mentioned, user)).map((user) => ({ user, seq }));
        const late_mentions = [...keptLate(message, mentioned), ...late];
        const { $set, $unset } = addressing(message, mentions, mentioned);
        const words = tokensOf({ text, files: message.files }, message.user);
        const others = update(at);
        const gone = { ...$unset, ...others.$unset };
        return {
          $set: { ...$set, ...others.$set, text, words, late_mentions },
          ...(Object.keys(gone).length > 0 && { $unset: gone }),
          ...(message.question && { $inc: { 'question.version': 1 } }),
        };
      },
    };
  };
  const edited = await changeMessage(id, caller, decide, precondition);
  const [room, mentioned] = [toObjectId(edited.room), edited.mentions.map(toObjectId)];
  if (place && thread) await followMentioned({ thread, room, seq: edited.seq, at: place.at }, mentioned);
  if (place && edited.is_in_room) await noteMentions(room, place.seq, mentioned);
  return edited;
}

const isAmong = (users: ObjectId[], user: ObjectId) => users.some((one) => one.equals(user));

/** Whom an edited message addresses: everyone only if it did so before, and still does. */
function addressing({ for_all, mentions: all }: MessageDocument, mentions: Mentions, named: ObjectId[]) {
  if (!for_all) return { $set: { mentions: named }, $unset: {} };
  if (forAllIn(mentions) !== for_all.kind) return { $set: { mentions: named }, $unset: { for_all: '' as const } };
  const addressed = for_all.kind === 'room' ? distinct([...all, ...named]) : named;
  return { $set: { mentions: addressed, for_all: { ...for_all, named } }, $unset: {} };
}

/** The late mentions of a message whose users are still mentioned. */
const keptLate = ({ late_mentions = [] }: MessageDocument, mentions: ObjectId[]) =>
  late_mentions.filter(({ user }) => isAmong(mentions, user));

export const deleteMessageRefusals = refusalsOf('deleteMessage');

/**
 * Deletes a message. It keeps its place without any content, and the bytes of its files are deleted
 * before the answer.
 */
export async function deleteMessage(id: ObjectId, caller: Caller, precondition?: Precondition): Promise<void> {
  let hadFiles = false;
  const decide: Decide = (message, room) => {
    const action = message.user.equals(caller.user._id) ? 'deleteOwnMessage' : 'deleteMessage';
    requirePermission(room, action);
    if (message.deleted_at) return undefined;
    return {
      action,
      type: 'message.deleted',
      before: async () => {
        const { thread, files } = message;
        hadFiles = files !== undefined;
        if (hadFiles) await expectRemoval({ message: id });
        if (thread) await messages.updateOne({ _id: thread }, { $set: { has_deleted_replies: true } });
        if (thread) await doubtUnread(thread);
      },
      ...(!message.is_folded && { ofRoom: { $max: { last_deleted: message.seq } } }),
      update: ({ at }) => ({
        $set: { text: '', mentions: [], reactions: [], pinned_at: null, deleted_at: at, is_deleted: true },
        $unset: {
          ...unsetContent,
          files: '',
          words: '',
          is_pinned: '',
          request_hash: '',
          late_mentions: '',
          for_all: '',
          streaming: '',
        },
      }),
    };
  };
  await changeMessage(id, caller, decide, precondition);
  await saved.deleteMany({ '_id.message': id });
  if (hadFiles) await removeFiles({ message: id });
}
