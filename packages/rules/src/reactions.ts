import { isBlank, normaliseText } from './texts.ts';

/** The most characters of a reaction that is a word. */
export const longestWord = 64;

/**
 * The stored form of a reaction. Emoji get the form that Unicode calls fully qualified, with
 * whatever selectors they were sent. Words are also allowed. Undefined for anything else.
 */
export function normaliseReaction(sent: string): string | undefined {
  // All emoji and valid words are shorter.
  if (sent.length > 4 * longestWord) return undefined;
  const emoji = normaliseEmoji(sent);
  if (emoji !== undefined) return emoji;
  const word = normaliseText(sent.replace(selectors, '')).replace(looseJoiner, '').normalize('NFC');
  return aWord.test(word) && !isBlank(word) && !aPathStep.test(word) ? word : undefined;
}

/** An emoji in the form that Unicode calls fully qualified; undefined for anything else. */
export function normaliseEmoji(sent: string): string | undefined {
  const bare = sent.replace(selectors, '');
  const emoji = bare.replace(needsSelector, '$&\ufe0f');
  return isEmoji(emoji) || anUnlistedEmoji.test(bare) ? emoji : undefined;
}

const selectors = /[\ufe0e\ufe0f]/g;

// Clients resolve these in an address before they send it.
const aPathStep = /^\.\.?$/;

// Without a selector these are shown as text. A skin tone also makes them emoji.
const needsSelector = /(?!\p{Emoji_Presentation})\p{Emoji}(?!\p{Emoji_Modifier})/gu;

// In a function, because the list of all emoji takes 15 ms to build.
const isEmoji = (text: string): boolean => /^\p{RGI_Emoji}$/v.test(text);

// An emoji that is newer than this program, or a family without its own picture: up to four
// pictures in a row.
const anUnlistedEmoji =
  /^\p{Extended_Pictographic}\p{Emoji_Modifier}?(\u200d\p{Extended_Pictographic}\p{Emoji_Modifier}?){0,3}$/u;

// Joiners between letters belong to words in some scripts. Other invisible characters belong to no
// word.
const looseJoiner =
  /(?<![\p{L}\p{M}])[\u200c\u200d]+|[\u200c\u200d]+(?![\p{L}\p{M}])|(?![\u200c\u200d])\p{Default_Ignorable_Code_Point}/gu;

const aWord =
  /^(?:[\u200c\u200d]|[^\p{White_Space}\p{Cc}\p{Cs}\p{Default_Ignorable_Code_Point}\p{Extended_Pictographic}\p{Regional_Indicator}\p{Me}\u2800]){1,64}$/u;
