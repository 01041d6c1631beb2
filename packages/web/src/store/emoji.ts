import { recall, recallJson, remember } from '../device/storage.ts';

const key = 'chat-emoji';

/** The most popular emoji, for users who have not picked any yet. */
const common = ['👍', '❤️', '😂', '🎉', '🙏', '👀', '✅', '🚀'];

/** The emoji that the user is likely to pick: the last picked ones, then common ones. */
export const usualEmoji = (): string[] => [...new Set([...recallJson<string[]>(key, []), ...common])].slice(0, 16);

/** The three emoji at each message. */
export const quickEmoji = (): string[] => usualEmoji().slice(0, 3);

const toneKey = 'chat-skin-tone';

/** The user's skin tone for emoji in this browser; empty for yellow. */
export const chosenTone = (): string => recall(toneKey) ?? '';

/** Chooses it. */
export const chooseTone = (tone: string): void => remember(toneKey, tone);

/** Records a picked emoji. */
export const noteEmoji = (emoji: string): void =>
  remember(key, JSON.stringify([emoji, ...recallJson<string[]>(key, []).filter((other) => other !== emoji)].slice(0, 16)));
