/*
 * How searches compare texts: without case, without variants of a letter, and without accents that
 * people omit. Vowel signs of Indic scripts, Thai and similar scripts change the word, so they are
 * kept. So are the voicing marks of kana.
 */

/**
 * Accents, points and other marks that a writer may omit, skin tones of emoji, and invisible
 * characters. The marks of й, ў and ї are never omitted, because they form other letters.
 */
const dropped =
  /\u0640|\u093c|\p{Emoji_Modifier}|\p{Default_Ignorable_Code_Point}|(?=\p{M})(?!\u3099|\u309a)(?<![иИуУ](?=\u0306)|[іІ](?=\u0308))(?:\p{Script=Inherited}|\p{Script=Greek}|\p{Script=Cyrillic}|\p{Script=Arabic}|\p{Script=Hebrew}|\p{Script=Syriac})/gu;

/** Letters without a decomposition, each with its usual replacement on keyboards that lack it. */
const variants =
  'ßss ẞSS æae ÆAE œoe ŒOE øo ØO łl ŁL đd ĐD ðd ÐD þth ÞTH ħh ĦH ŧt ŦT ŋn ŊN ıi ȷj ɨi ƗI ʉu ɄU ƶz ƵZ ǥg ǤG ƀb ɃB ɓb ƁB ɗd ƊD ƙk ƘK ƴy ƳY ɫl';
/**
 * The final sigma, letters with different code points on Persian, Urdu and Arabic keyboards, and
 * letters that are used for each other.
 */
const forms = 'ςσ ىي یي کك ٱا ةه ہه';
const punctuation = `‐- ‑- ‒- –- —- ―- −- ‘' ’' ‚' ‛' ʼ' ′' ׳' “" ”" „" ‟" ″" ״" ⁄/`;
const replaced = new Map(`${variants} ${forms} ${punctuation}`.split(' ').map((pair) => [pair.slice(0, 1), pair.slice(1)]));
const replaceable = new RegExp(`[${[...replaced.keys()].join('')}]`, 'gu');

/**
 * Digits of other scripts, and katakana. Each katakana has its hiragana at a fixed distance before
 * it.
 */
const shifted = /(?![0-9])\p{Nd}|[ァ-ヶ]/gu;

function shift(letter: string): string {
  const code = letter.codePointAt(0) as number;
  if (letter >= 'ァ' && letter <= 'ヶ') return String.fromCodePoint(code - 0x60);
  let value = 0;
  while (value < 9 && /\p{Nd}/u.test(String.fromCodePoint(code - value - 1))) value++;
  return String(value);
}

/** True if folding a text only changes its case. */
export const isAscii = (text: string): boolean => /^[\x00-\x7f]*$/.test(text);

/** A folded text that keeps its case, which is needed to find words within words. */
export function foldVariants(text: string): string {
  if (isAscii(text)) return text;
  return text
    .normalize('NFKD')
    .replace(dropped, '')
    .replace(replaceable, (letter) => replaced.get(letter) ?? letter)
    .normalize('NFC')
    .replace(shifted, shift);
}

/**
 * A folded text that keeps its case. If it differs, also the text in the German and Nordic spelling
 * of ä, ö, ü, ø and å.
 */
export function foldSpellings(text: string): [plain: string, ...others: string[]] {
  const plain = foldVariants(text);
  if (isAscii(text)) return [plain];
  const composed = text.normalize('NFC');
  const spelled = composed.replace(/[äöüøå]/gi, (letter) => `${letter}${/å/i.test(letter) ? 'a' : 'e'}`);
  return spelled === composed ? [plain] : [plain, foldVariants(spelled)];
}

/**
 * A lowercase text without the letters that `foldSpellings` may add. It is equal for all spellings
 * of a word, and for some other words.
 */
export const dropSpelling = (text: string): string => (/[aou]e|aa/.test(text) ? text.replace(/(?<=[aou])e|(?<=a)a/g, '') : text);

/** The text in lower case, with the same length if variants are folded. */
export const foldCase = (text: string): string => text.toLowerCase().replaceAll('ς', 'σ');

/** The folded form of a text. */
export const fold = (text: string): string => foldCase(foldVariants(text));
