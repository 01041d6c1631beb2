import { isBlank, normaliseText } from './texts.ts';

/** How many characters a reaction that is a word has at most. */
export const longestWord = 64;

/**
 * A reaction as it is stored: an emoji in the one form that Unicode calls fully qualified, with or without
 * the selectors that it was sent with, or a word. Undefined for anything else.
 */
export function normaliseReaction(sent: string): string | undefined {
  // No emoji is longer, and no word that is short enough.
  if (sent.length > 4 * longestWord) return undefined;
  const emoji = normaliseEmoji(sent);
  if (emoji !== undefined) return emoji;
  const word = normaliseText(sent.replace(selectors, '')).replace(looseJoiner, '').normalize('NFC');
  return aWord.test(word) && !isBlank(word) && !aPathStep.test(word) ? word : undefined;
}

/** An emoji in the one form that Unicode calls fully qualified; undefined for anything else. */
export function normaliseEmoji(sent: string): string | undefined {
  const bare = sent.replace(selectors, '');
  const emoji = bare.replace(needsSelector, '$&\ufe0f');
  return anEmoji.test(emoji) || anUnlistedEmoji.test(bare) ? emoji : undefined;
}

const selectors = /[\ufe0e\ufe0f]/g;

// Clients resolve these in an address before they send it.
const aPathStep = /^\.\.?$/;

// By itself it is shown as a text; a skin tone makes an emoji of it.
const needsSelector = /(?!\p{Emoji_Presentation})\p{Emoji}(?!\p{Emoji_Modifier})/gu;

const anEmoji = /^\p{RGI_Emoji}$/v;

// One that came after this program, or a family of those that have no picture of their own: up to four pictures in a row.
const anUnlistedEmoji =
  /^\p{Extended_Pictographic}\p{Emoji_Modifier}?(\u200d\p{Extended_Pictographic}\p{Emoji_Modifier}?){0,3}$/u;

// Joiners are part of words in some scripts, where they stand between letters. What else nobody sees is part of none.
const looseJoiner =
  /(?<![\p{L}\p{M}])[\u200c\u200d]+|[\u200c\u200d]+(?![\p{L}\p{M}])|(?![\u200c\u200d])\p{Default_Ignorable_Code_Point}/gu;

const aWord =
  /^(?:[\u200c\u200d]|[^\p{White_Space}\p{Cc}\p{Cs}\p{Default_Ignorable_Code_Point}\p{Extended_Pictographic}\p{Regional_Indicator}\p{Me}\u2800]){1,64}$/u;
