/** The character that ends before a place of a text; the start of the text counts as a space. */
export const characterBefore = (text: string, at: number): string =>
  at === 0 ? ' ' : (/.$/su.exec(text.slice(Math.max(0, at - 2), at))?.[0] ?? ' ');

/** The character at a place of a text; the end of the text counts as a space. */
export const characterAt = (text: string, at: number): string => String.fromCodePoint(text.codePointAt(at) ?? 32);

export const isSpace = (character: string): boolean => /\s/u.test(character);

/** Whether a character is punctuation or a symbol. Emoji are not: they stand in a sentence as words do. */
export const isPunctuation = (character: string): boolean =>
  /[\p{P}\p{S}]/u.test(character) && !/\p{Extended_Pictographic}/u.test(character);

/** Whether a character is punctuation of Chinese, Japanese or Korean, which stands without spaces. */
export const isWidePunctuation = (character: string): boolean =>
  /[\u3000-\u303f\ufe30-\ufe4f\uff00-\uffef]/u.test(character) && isPunctuation(character);

/** Whether a character belongs to a script that puts no space between a name or an address and what follows. */
export const isUnspaced = (character: string): boolean =>
  /(?!\u00b7)[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Bopo}\p{scx=Hang}\p{scx=Thai}\p{scx=Laoo}\p{scx=Khmr}\p{scx=Mymr}\p{scx=Tibt}]/u.test(
    character,
  );

/** Whether a character goes on with, or leads to, a word in Latin letters: of a script that mixes with them. */
export const joinsWord = (character: string): boolean =>
  /(?=\p{L})[\p{sc=Latn}\p{sc=Grek}\p{sc=Cyrl}\p{sc=Armn}\p{sc=Geor}]|[\p{Nd}_]|[\u0300-\u036f]/u.test(character);

/** Whether nothing of a text can be seen. */
export const isBlank = (text: string): boolean => /^[\s\p{Default_Ignorable_Code_Point}\u2800]*$/u.test(text);
