import { longestWord, normaliseReaction } from 'chat-service-rules/reactions';
import type { ObjectId } from 'mongodb';
import type { Precondition } from '../api/entity-tag.ts';
import type { Parameter } from '../api/parameters.ts';
import { conflict, type Refusal } from '../base/errors.ts';
import type { MessageDocument } from '../collections/rooms/messages.ts';
import type { Caller } from '../identity/caller.ts';
import { notify } from '../notices/notices.ts';
import { noteReaction } from '../rooms/notifications.ts';
import { refusalsOf, requirePermission } from '../rooms/permissions.ts';
import { changeMessage, type Decide, messageDeleted, requireNotDeleted } from './change.ts';
import { type Message, shownEmoji } from './messages.ts';

/** One emoji, or a word such as `:owl:` or `+1`, which many clients use instead. */
export const emoji: Parameter<string> = {
  read: (sent) => (typeof sent === 'string' ? normaliseReaction(sent) : undefined),
  about: 'The reaction: an emoji, with or without its variation selector, or a word; percent-encoded.',
  rule: `be one emoji, or one word of at most ${longestWord} characters`,
  // By code points, because not every client's regular expressions support property classes.
  schema: {
    type: 'string',
    pattern: '^[^\\u0000-\\u0020\\u007f-\\u00a0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000]{1,64}$',
  },
};

/**
 * An emoji, a word, or a text that earlier versions accepted. Users can still remove such
 * reactions.
 */
export const formerEmoji: Parameter<string> = {
  ...emoji,
  read: (sent) => emoji.read(sent) ?? (typeof sent === 'string' && /^[^\p{Cc}\p{Cs}\p{Z}]{1,64}$/u.test(sent) ? sent : undefined),
};

/** The most different emoji of a message. */
export const mostEmoji = 20;

const tooManyEmoji: Refusal = () => conflict('too_many_reactions', `The message has ${mostEmoji} different reactions already.`);
export const removeReactionRefusals = [messageDeleted, ...refusalsOf('react')];
export const addReactionRefusals = [...removeReactionRefusals, tooManyEmoji];

/**
 * Adds the caller's reaction to a message, and adds it to its author's notifications. If the
 * reaction exists, nothing changes.
 */
export async function addReaction(id: ObjectId, emoji: string, caller: Caller, precondition?: Precondition): Promise<Message> {
  const reaction = { emoji, user: caller.user._id };
  const decide: Decide = (message, room) => {
    requirePermission(room, 'react');
    requireNotDeleted(message);
    if (hasReaction(message, reaction)) return undefined;
    const isOwn = message.user.equals(caller.user._id);
    const stored = new Set(message.reactions.map((one) => one.emoji));
    const shown = new Set([...stored].map(shownEmoji));
    if (shown.size === mostEmoji && !shown.has(emoji)) throw tooManyEmoji();
    const isSame = { $in: formsOf(emoji, message) };
    return {
      action: 'react',
      type: 'reaction.added',
      where: {
        reactions: { $not: { $elemMatch: { ...reaction, emoji: isSame } } },
        $or: [{ 'reactions.emoji': isSame }, hasRoomForAnother(stored.size - shown.size)],
      },
      update: () => ({ $push: { reactions: reaction } }),
      // If the reaction then fails, the list of notifications skips it.
      ...(!isOwn && { before: () => noteReaction(message, caller) }),
    };
  };
  const changed = await changeMessage(id, caller, decide, precondition);
  if (changed.user.$oid !== caller.user._id.toHexString()) notify({ type: 'notifications', user: changed.user.$oid });
  return changed;
}

/** Removes the caller's reaction from a message, if it exists. */
export const removeReaction = (id: ObjectId, emoji: string, caller: Caller, precondition?: Precondition): Promise<Message> => {
  const reaction = { emoji, user: caller.user._id };
  const decide: Decide = (message, room) => {
    requirePermission(room, 'react');
    requireNotDeleted(message);
    if (!hasReaction(message, reaction)) return undefined;
    const stored = { user: { $eq: reaction.user }, emoji: { $in: formsOf(emoji, message) } };
    return {
      action: 'react',
      type: 'reaction.removed',
      where: { reactions: { $elemMatch: stored } },
      update: () => ({ $pull: { reactions: stored } }),
    };
  };
  return changeMessage(id, caller, decide, precondition);
};

type Reaction = MessageDocument['reactions'][number];

const hasReaction = ({ reactions }: MessageDocument, { emoji, user }: Reaction) =>
  reactions.some((one) => shownEmoji(one.emoji) === emoji && one.user.equals(user));

/** The stored forms of an emoji in a message. Older reactions are stored as they were sent. */
const formsOf = (emoji: string, { reactions }: MessageDocument): string[] => [
  ...new Set([emoji, ...reactions.map((one) => one.emoji).filter((one) => shownEmoji(one) === emoji)]),
];

/**
 * The condition that the message has room for another emoji; `doubles` are stored forms that are
 * shown as one emoji.
 */
const hasRoomForAnother = (doubles: number) => ({
  $expr: { $lt: [{ $size: { $setUnion: ['$reactions.emoji', []] } }, mostEmoji + doubles] },
});
