import { recall, recallJson, remember } from '../device/storage.ts';

const key = 'chat-emoji';

/** The most popular emoji, for users who have not picked any yet. */
const common = ['👍', '❤️', '😂', '🎉', '🙏', '👀', '✅', '🚀'];

/** The emoji that the user is likely to pick: the last picked ones, then common ones. */
export const usualEmoji = (): string[] => [...new Set([...recallJson<string[]>(key, []), ...common])].slice(0, 16);

/** The three that stand at each message. */
export const quickEmoji = (): string[] => usualEmoji().slice(0, 3);

const toneKey = 'chat-skin-tone';

/** The tone of skin that hands and people have, in this browser; empty for the yellow one. */
export const chosenTone = (): string => recall(toneKey) ?? '';

/** Chooses it. */
export const chooseTone = (tone: string): void => remember(toneKey, tone);

/** Notes that an emoji was picked. */
export const noteEmoji = (emoji: string): void =>
  remember(key, JSON.stringify([emoji, ...recallJson<string[]>(key, []).filter((other) => other !== emoji)].slice(0, 16)));
