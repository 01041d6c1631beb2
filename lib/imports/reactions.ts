import { reactionOf } from 'chat-service-import/emoji';
import type { SourceMessage } from 'chat-service-import/source';
import type { MessageDocument } from '../collections/rooms/messages.ts';
import { mostEmoji } from '../messages/reactions.ts';
import type { Account } from './people.ts';
import type { WritingRun } from './writing.ts';

/**
 * The reactions of a message that the service can store. The others are counted, with the reason.
 */
export function reactionsOf({ reactions }: SourceMessage, { people, tally }: WritingRun): MessageDocument['reactions'] {
  const kept = new Map<string, MessageDocument['reactions'][number]>();
  const emojis = new Set<string>();
  for (const reaction of reactions) {
    const [emoji, user] = [reactionOf(reaction.emoji), people.get(reaction.user)];
    const refusal = whyNot(emoji, user);
    if (refusal || !emoji || !user) {
      tally.leaveOut('reactions', refusal ?? '', reaction);
      continue;
    }
    emojis.add(emoji);
    kept.set(`${emoji} ${user._id.toHexString()}`, { emoji, user: user._id });
    tally.written('reactions');
  }
  return [...kept.values()];

  function whyNot(emoji: string | undefined, user: Account | undefined): string | undefined {
    if (emoji === undefined) return 'not an emoji or a word';
    if (!user) return 'of somebody who is not in the archive';
    if (kept.has(`${emoji} ${user._id.toHexString()}`)) return 'twice by one person';
    return emojis.size >= mostEmoji && !emojis.has(emoji) ? `more than ${mostEmoji} different ones` : undefined;
  }
}
