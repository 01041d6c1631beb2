/*
 * How texts are compared in a search: without case, without what is only a variant of a letter, and without accents where leaving
 * them out is a habit of writing. Vowel signs of Indic scripts, of Thai and their like, and the voicing marks of kana make other
 * words, and stay.
 */

/** Accents, points and other marks that a reader may leave out, and characters that nobody sees. */
const dropped =
  /\u0640|\p{Default_Ignorable_Code_Point}|(?=\p{M})(?!\u3099|\u309a)(?:\p{Script=Inherited}|\p{Script=Greek}|\p{Script=Cyrillic}|\p{Script=Arabic}|\p{Script=Hebrew}|\p{Script=Syriac})/gu;

/** Letters that have no decomposition, each followed by what people write who do not have it on their keyboard. */
const variants =
  'ßss ẞSS æae ÆAE œoe ŒOE øo ØO łl ŁL đd ĐD ðd ÐD þth ÞTH ħh ĦH ŧt ŦT ŋn ŊN ıi ȷj ɨi ƗI ʉu ɄU ƶz ƵZ ǥg ǤG ƀb ɃB ɓb ƁB ɗd ƊD ƙk ƘK ƴy ƳY ɫl';
/** The final sigma, and letters that Persian and Arabic keyboards have each in their own form. */
const forms = 'ςσ ىي یي کك ٱا';
const punctuation = `‐- ‑- ‒- –- —- ―- −- ‘' ’' ‚' ‛' ʼ' ′' “" ”" „" ‟" ″"`;
const replaced = new Map(`${variants} ${forms} ${punctuation}`.split(' ').map((pair) => [pair.slice(0, 1), pair.slice(1)]));
const replaceable = new RegExp(`[${[...replaced.keys()].join('')}]`, 'gu');

/** Whether a text has nothing to fold but its case. */
export const isAscii = (text: string): boolean => /^[\x00-\x7f]*$/.test(text);

/** A text as it is compared, but with its case, by which words within words are told. */
export function foldVariants(text: string): string {
  if (isAscii(text)) return text;
  return text
    .normalize('NFKD')
    .replace(dropped, '')
    .replace(replaceable, (letter) => replaced.get(letter) ?? letter)
    .normalize('NFC');
}

/** Lower case, which is as long as what it is made of where variants are folded. */
export const foldCase = (text: string): string => text.toLowerCase().replaceAll('ς', 'σ');

/** A text as it is compared. */
export const fold = (text: string): string => foldCase(foldVariants(text));
