import groups from 'virtual:emoji';

/** An emoji with its short codes, and words that find it. */
export type Emoji = { emoji: string; codes: string[]; words: string };

/** All emoji, by group. */
export const emojiGroups: Emoji[][] = groups.map((group) =>
  group.split('\n').map((line) => {
    const [emoji = '', codes = '', words = ''] = line.split('\t');
    return { emoji, codes: codes.split(' '), words };
  }),
);

const saidOf = ({ codes, words }: Emoji) => `${codes.join(' ')} ${words}`.toLowerCase();

const all = emojiGroups.flat().map((emoji) => ({ emoji, said: saidOf(emoji) }));

/** Whether a word finds an emoji. */
export const isFoundBy = (emoji: Emoji, word: string): boolean => saidOf(emoji).includes(word.toLowerCase());

/** The emoji that a word finds: by the start of a code first, then by any part of what is said of it. */
export function findEmoji(word: string): Emoji[] {
  const sought = word.toLowerCase();
  const rank = ({ codes }: Emoji) => (codes.includes(sought) ? 0 : codes.some((code) => code.startsWith(sought)) ? 1 : 2);
  return all
    .filter(({ said }) => said.includes(sought))
    .map(({ emoji }) => ({ emoji, rank: rank(emoji) }))
    .sort((one, other) => one.rank - other.rank)
    .map(({ emoji }) => emoji);
}
