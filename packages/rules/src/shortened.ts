/** Splits texts into graphemes. Made at the first use, because that takes 14 ms. */
let segmenter: Intl.Segmenter | undefined;

// Not every browser that shows the page has it.
const graphemes = () => {
  if (!('Segmenter' in Intl)) return undefined;
  segmenter ??= new Intl.Segmenter(undefined, { granularity: 'grapheme' });
  return segmenter;
};

/** No emoji that people send has more UTF-16 units. */
const longestGrapheme = 64;

/**
 * The beginning of a text, of so many UTF-16 units at most, which cuts no emoji or other grapheme
 * in half.
 */
export function beginningOf(text: string, most: number): string {
  if (text.length <= most) return text;
  const end =
    graphemes()
      ?.segment(text.slice(0, most + longestGrapheme))
      .containing(most)?.index ?? most;
  const isCutMark = most - end > longestGrapheme;
  return text
    .slice(0, isCutMark ? most : end)
    .toWellFormed()
    .replace(/\ufffd$/, '');
}

/**
 * The beginning of a text, of so many characters (code points) at most, which cuts no emoji or
 * other grapheme in half.
 */
export function firstCharacters(text: string, most: number): string {
  if (text.length <= most) return text;
  const { length } = [...text.slice(0, 2 * most)].slice(0, most).join('');
  return beginningOf(text, length);
}

/** The beginning of a text, which says that it was longer. */
export const shortened = (text: string, most: number): string =>
  text.length <= most ? text : `${beginningOf(text, most - 1).trimEnd()}…`;
