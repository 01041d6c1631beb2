import { recall, recallJson, remember } from '../device/storage.ts';

const key = 'chat-emoji';

/** What people pick most, for who has picked nothing yet. */
const common = ['👍', '❤️', '😂', '🎉', '🙏', '👀', '✅', '🚀'];

/** Which emoji somebody is likely to pick here: the last that were picked, then common ones. */
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
