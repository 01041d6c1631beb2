import type { ObjectId } from 'mongodb';
import { type Parameter, readParameters } from '../api/parameters.ts';
import { conflict } from '../errors.ts';
import type { Caller } from '../identity/tokens.ts';
import { check, members } from '../rooms/access.ts';
import { changeMessage, requireLiving } from './change.ts';
import type { Message, MessageDocument } from './messages.ts';

/** How many different emoji a message can have. */
export const mostEmoji = 20;

/** Reacts to a message with an emoji; twice is once. */
export const addReaction = (id: ObjectId, caller: Caller, sent: string | undefined): Promise<Message> => {
  const reaction = { emoji: readEmoji(sent), user: caller.user._id };
  return changeMessage(id, caller, (message, room) => {
    check(members, room);
    requireLiving(message);
    if (hasReaction(message, reaction)) return undefined;
    const emoji = new Set(message.reactions.map((one) => one.emoji)).add(reaction.emoji);
    if (emoji.size > mostEmoji) throw conflict(`The message has ${mostEmoji} different reactions already.`);
    return {
      rule: members,
      type: 'reaction.added',
      where: { reactions: { $not: { $elemMatch: reaction } }, $or: [{ 'reactions.emoji': reaction.emoji }, hasRoomForAnother] },
      update: () => ({ $push: { reactions: reaction } }),
    };
  });
};

/** Takes one's reaction back; where there is none, none is taken. */
export const removeReaction = (id: ObjectId, caller: Caller, sent: string | undefined): Promise<Message> => {
  const reaction = { emoji: readEmoji(sent), user: caller.user._id };
  return changeMessage(id, caller, (message, room) => {
    check(members, room);
    requireLiving(message);
    if (!hasReaction(message, reaction)) return undefined;
    return {
      rule: members,
      type: 'reaction.removed',
      where: { reactions: { $elemMatch: reaction } },
      update: () => ({ $pull: { reactions: reaction } }),
    };
  });
};

type Reaction = MessageDocument['reactions'][number];

const hasReaction = ({ reactions }: MessageDocument, { emoji, user }: Reaction) =>
  reactions.some((one) => one.emoji === emoji && one.user.equals(user));

const hasRoomForAnother = { $expr: { $lt: [{ $size: { $setUnion: ['$reactions.emoji', []] } }, mostEmoji] } };

// Not only the pictures: `:owl:` and `+1` are what many clients call theirs.
const emoji: Parameter<string> = {
  read: (sent) => (typeof sent === 'string' && /^[^\p{Cc}\p{Cs}\p{Z}]{1,64}$/u.test(sent) ? sent : undefined),
  rule: 'be 1 to 64 characters without white space',
  schema: { type: 'string', minLength: 1, maxLength: 64 },
};

const readEmoji = (sent: string | undefined) => readParameters({ emoji }, { emoji: sent }).emoji;
