/*
 * How texts are compared in a search: without case, without what is only a variant of a letter, and without accents where leaving
 * them out is a habit of writing. Vowel signs of Indic scripts, of Thai and their like, and the voicing marks of kana make other
 * words, and stay.
 */

/**
 * Accents, points and other marks that a reader may leave out, tones of emoji, and characters that nobody sees. The marks of й, ў and ї
 * make letters of their own, which nobody leaves out.
 */
const dropped =
  /\u0640|\u093c|\p{Emoji_Modifier}|\p{Default_Ignorable_Code_Point}|(?=\p{M})(?!\u3099|\u309a)(?<![иИуУ](?=\u0306)|[іІ](?=\u0308))(?:\p{Script=Inherited}|\p{Script=Greek}|\p{Script=Cyrillic}|\p{Script=Arabic}|\p{Script=Hebrew}|\p{Script=Syriac})/gu;

/** Letters that have no decomposition, each followed by what people write who do not have it on their keyboard. */
const variants =
  'ßss ẞSS æae ÆAE œoe ŒOE øo ØO łl ŁL đd ĐD ðd ÐD þth ÞTH ħh ĦH ŧt ŦT ŋn ŊN ıi ȷj ɨi ƗI ʉu ɄU ƶz ƵZ ǥg ǤG ƀb ɃB ɓb ƁB ɗd ƊD ƙk ƘK ƴy ƳY ɫl';
/** The final sigma, and letters that keyboards of Persian, Urdu and Arabic have each in their own form, or that are typed for each other. */
const forms = 'ςσ ىي یي کك ٱا ةه ہه';
const punctuation = `‐- ‑- ‒- –- —- ―- −- ‘' ’' ‚' ‛' ʼ' ′' ׳' “" ”" „" ‟" ″" ״" ⁄/`;
const replaced = new Map(`${variants} ${forms} ${punctuation}`.split(' ').map((pair) => [pair.slice(0, 1), pair.slice(1)]));
const replaceable = new RegExp(`[${[...replaced.keys()].join('')}]`, 'gu');

/** Digits of other scripts, and katakana, each of which has its hiragana so many places before it. */
const shifted = /(?![0-9])\p{Nd}|[ァ-ヶ]/gu;

function shift(letter: string): string {
  const code = letter.codePointAt(0) as number;
  if (letter >= 'ァ' && letter <= 'ヶ') return String.fromCodePoint(code - 0x60);
  let value = 0;
  while (value < 9 && /\p{Nd}/u.test(String.fromCodePoint(code - value - 1))) value++;
  return String(value);
}

/** Whether a text has nothing to fold but its case. */
export const isAscii = (text: string): boolean => /^[\x00-\x7f]*$/.test(text);

/** A text as it is compared, but with its case, by which words within words are told. */
export function foldVariants(text: string): string {
  if (isAscii(text)) return text;
  return text
    .normalize('NFKD')
    .replace(dropped, '')
    .replace(replaceable, (letter) => replaced.get(letter) ?? letter)
    .normalize('NFC')
    .replace(shifted, shift);
}

/** A text as it is compared, but with its case; and, if that is another, with the letters that German and Nordic writers put for ä, ö, ü, ø and å. */
export function foldSpellings(text: string): [plain: string, ...others: string[]] {
  const plain = foldVariants(text);
  if (isAscii(text)) return [plain];
  const composed = text.normalize('NFC');
  const spelled = composed.replace(/[äöüøå]/gi, (letter) => `${letter}${/å/i.test(letter) ? 'a' : 'e'}`);
  return spelled === composed ? [plain] : [plain, foldVariants(spelled)];
}

/** A text in lower case without what `foldSpellings` may add: the same for all spellings of a word, and for some other words. */
export const dropSpelling = (text: string): string => (/[aou]e|aa/.test(text) ? text.replace(/(?<=[aou])e|(?<=a)a/g, '') : text);

/** Lower case, which is as long as what it is made of where variants are folded. */
export const foldCase = (text: string): string => text.toLowerCase().replaceAll('ς', 'σ');

/** A text as it is compared. */
export const fold = (text: string): string => foldCase(foldVariants(text));
