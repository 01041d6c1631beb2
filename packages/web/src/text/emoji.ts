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

/** The emoji that a word finds: by the start of a code first, then by any part of what is said of it. */
export function findEmoji(word: string): Emoji[] {
  const sought = word.toLowerCase();
  const rank = ({ codes, words }: Emoji) => {
    if (codes.includes(sought)) return 0;
    if (codes.some((code) => code.startsWith(sought))) return 1;
    return `${codes.join(' ')} ${words}`.toLowerCase().includes(sought) ? 2 : 3;
  };
  return emojiGroups
    .flat()
    .map((emoji) => ({ emoji, rank: rank(emoji) }))
    .filter(({ rank }) => rank < 3)
    .sort((one, other) => one.rank - other.rank)
    .map(({ emoji }) => emoji);
}
