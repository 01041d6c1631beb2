import type { ObjectId } from 'mongodb';
import type { Precondition } from '../api/entity-tag.ts';
import type { Parameter } from '../api/parameters.ts';
import type { MessageDocument } from '../collections/messages.ts';
import { conflict, type Refusal } from '../errors.ts';
import type { Caller } from '../identity/caller.ts';
import { refusalsOf, requirePermission } from '../rooms/permissions.ts';
import { changeMessage, type Decide, messageDeleted, requireNotDeleted } from './change.ts';
import type { Message } from './messages.ts';

/** An emoji, or one of the names that many clients have for theirs, such as `:owl:` and `+1`. */
export const emoji: Parameter<string> = {
  read: (sent) => (typeof sent === 'string' && /^[^\p{Cc}\p{Cs}\p{Z}]{1,64}$/u.test(sent) ? sent : undefined),
  rule: 'be 1 to 64 characters without white space',
  // The same by code points: not everyone's regular expressions know classes.
  schema: {
    type: 'string',
    pattern: '^[^\\u0000-\\u0020\\u007f-\\u00a0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000]{1,64}$',
  },
};

/** How many different emoji a message can have. */
export const mostEmoji = 20;

const tooManyEmoji: Refusal = () => conflict('too_many_reactions', `The message has ${mostEmoji} different reactions already.`);
export const removeReactionRefusals = [messageDeleted, ...refusalsOf('react')];
export const addReactionRefusals = [...removeReactionRefusals, tooManyEmoji];

/** Adds the caller's reaction to a message; one that is there already stays. */
export const addReaction = (id: ObjectId, emoji: string, caller: Caller, precondition?: Precondition): Promise<Message> => {
  const reaction = { emoji, user: caller.user._id };
  const decide: Decide = (message, room) => {
    requirePermission(room, 'react');
    requireNotDeleted(message);
    if (hasReaction(message, reaction)) return undefined;
    if (new Set(message.reactions.map((one) => one.emoji)).add(emoji).size > mostEmoji) throw tooManyEmoji();
    return {
      action: 'react',
      type: 'reaction.added',
      where: { reactions: { $not: { $elemMatch: reaction } }, $or: [{ 'reactions.emoji': emoji }, hasRoomForAnother] },
      update: () => ({ $push: { reactions: reaction } }),
    };
  };
  return changeMessage(id, caller, decide, precondition);
};

/** Removes the caller's reaction from a message, if it is there. */
export const removeReaction = (id: ObjectId, emoji: string, caller: Caller, precondition?: Precondition): Promise<Message> => {
  const reaction = { emoji, user: caller.user._id };
  const decide: Decide = (message, room) => {
    requirePermission(room, 'react');
    requireNotDeleted(message);
    if (!hasReaction(message, reaction)) return undefined;
    return {
      action: 'react',
      type: 'reaction.removed',
      where: { reactions: { $elemMatch: reaction } },
      update: () => ({ $pull: { reactions: reaction } }),
    };
  };
  return changeMessage(id, caller, decide, precondition);
};

type Reaction = MessageDocument['reactions'][number];

const hasReaction = ({ reactions }: MessageDocument, { emoji, user }: Reaction) =>
  reactions.some((one) => one.emoji === emoji && one.user.equals(user));

const hasRoomForAnother = { $expr: { $lt: [{ $size: { $setUnion: ['$reactions.emoji', []] } }, mostEmoji] } };
