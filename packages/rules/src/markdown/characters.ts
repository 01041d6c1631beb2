/** The character that ends before a place of a text; the start of the text counts as a space. */
export const characterBefore = (text: string, at: number): string =>
  at === 0 ? ' ' : (/.$/su.exec(text.slice(Math.max(0, at - 2), at))?.[0] ?? ' ');

/** The character at a place of a text; the end of the text counts as a space. */
export const characterAt = (text: string, at: number): string => String.fromCodePoint(text.codePointAt(at) ?? 32);

export const isSpace = (character: string): boolean => /\s/u.test(character);

/**
 * True if a character is punctuation or a symbol. Emoji do not count, because they are used like
 * words.
 */
export const isPunctuation = (character: string): boolean =>
  /[\p{P}\p{S}]/u.test(character) && !/\p{Extended_Pictographic}/u.test(character);

/**
 * True if a character is punctuation of Chinese, Japanese or Korean, which is written without
 * spaces.
 */
export const isWidePunctuation = (character: string): boolean =>
  /[\u3000-\u303f\ufe30-\ufe4f\uff00-\uffef]/u.test(character) && isPunctuation(character);

/**
 * True if a character's script does not use spaces between a name or an address and the next word.
 */
export const isUnspaced = (character: string): boolean =>
  /(?!\u00b7)[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Bopo}\p{scx=Hang}\p{scx=Thai}\p{scx=Laoo}\p{scx=Khmr}\p{scx=Mymr}\p{scx=Tibt}]/u.test(
    character,
  );

/**
 * True if a character continues a word in Latin letters, because its script is mixed with Latin.
 */
export const joinsWord = (character: string): boolean =>
  /(?=\p{L})[\p{sc=Latn}\p{sc=Grek}\p{sc=Cyrl}\p{sc=Armn}\p{sc=Geor}]|[\p{Nd}_]|[\u0300-\u036f]/u.test(character);

/** True if a text is invisible. */
export const isBlank = (text: string): boolean => /^[\s\p{Default_Ignorable_Code_Point}\u2800]*$/u.test(text);
