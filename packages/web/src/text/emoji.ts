import groups from 'virtual:emoji';
import { normaliseReaction } from 'chat-service-rules/reactions';

/** An emoji with its short codes, its name, and words that find it. */
export type Emoji = { emoji: string; codes: string[]; name: string; words: string };

/** All emoji, by group. */
export const emojiGroups: Emoji[][] = groups.map((group) =>
  group.split('\n').map((line) => {
    const [emoji = '', codes = '', name = '', words = ''] = line.split('\t');
    return { emoji, codes: codes.split(' '), name, words };
  }),
);

const saidOf = ({ codes, name, words }: Emoji) => `${codes.join(' ')} ${name} ${words}`.toLowerCase();

const all = emojiGroups.flat().map((emoji) => ({ emoji, said: saidOf(emoji) }));

/** True if a word finds an emoji. */
export const isFoundBy = (emoji: Emoji, word: string): boolean => saidOf(emoji).includes(word.toLowerCase());

/**
 * Finds emoji by a word: those whose code starts with it first, then other matches in code or
 * description.
 */
export function findEmoji(word: string): Emoji[] {
  const sought = word.toLowerCase();
  const rank = ({ codes }: Emoji) => (codes.includes(sought) ? 0 : codes.some((code) => code.startsWith(sought)) ? 1 : 2);
  return all
    .filter(({ said }) => said.includes(sought))
    .map(({ emoji }) => ({ emoji, rank: rank(emoji) }))
    .sort((one, other) => one.rank - other.rank)
    .map(({ emoji }) => emoji);
}

/** The data of an emoji, in any skin tone. */
export const emojiNamed = (emoji: string): Emoji | undefined => byEmoji.get(emoji) ?? byEmoji.get(withTone(emoji, ''));

const byEmoji = new Map(emojiGroups.flat().map((one) => [one.emoji, one]));

/** The tones of skin, from none to dark. */
export const tones = ['', '\u{1f3fb}', '\u{1f3fc}', '\u{1f3fd}', '\u{1f3fe}', '\u{1f3ff}'] as const;

const toned = /^\p{RGI_Emoji}$/v;

/** An emoji with a skin tone, if it has one. */
export function withTone(emoji: string, tone: string): string {
  const bare = emoji.replaceAll(/\p{Emoji_Modifier}/gu, '');
  if (tone === '') return bare === emoji ? emoji : (normaliseReaction(bare) ?? bare);
  const changed = bare.replaceAll(/(\p{Emoji_Modifier_Base})\ufe0f?/gu, `$1${tone}`);
  return changed !== bare && toned.test(changed) ? changed : emoji;
}
