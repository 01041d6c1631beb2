/** The languages of text indexes: words as they stand, or English without its commonest words. Neither reduces words to stems. */
export type TextLanguage = 'none' | 'english';

/** Whether a language is one of those; MongoDB also takes its two-letter name. */
export function textLanguage(name: string): TextLanguage | undefined {
  const lower = name.toLowerCase();
  if (lower === 'en') return 'english';
  return lower === 'none' || lower === 'english' ? lower : undefined;
}

/** The words of a text in the form in which they are found: without case, accents and, in English, stop words. */
export function termsOf(text: string, language: TextLanguage): string[] {
  const words = folded(text).split(language === 'english' ? delimitersButApostrophe : delimiters);
  return words.filter((word) => word !== '' && !(language === 'english' && stopWords.has(word)));
}

/** A text without case and accents. */
export function folded(text: string): string {
  return text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();
}

const delimiters = /[\p{Dash}\p{Pattern_Syntax}\p{Quotation_Mark}\p{Terminal_Punctuation}\p{White_Space}]+/u;
const delimitersButApostrophe =
  /(?:(?!')[\p{Dash}\p{Pattern_Syntax}\p{Quotation_Mark}\p{Terminal_Punctuation}\p{White_Space}])+/u;

const stopWords: ReadonlySet<string> = new Set(
  `i me my myself we our ours ourselves you your yours yourself yourselves he him his himself she her hers herself it its itself
  they them their theirs themselves what which who whom this that these those am is are was were be been being have has had having
  do does did doing would should could ought i'm you're he's she's it's we're they're i've you've we've they've i'd you'd he'd
  she'd we'd they'd i'll you'll he'll she'll we'll they'll isn't aren't wasn't weren't hasn't haven't hadn't doesn't don't didn't
  won't wouldn't shan't shouldn't can't cannot couldn't mustn't let's that's who's what's here's there's when's where's why's how's
  a an the and but if or because as until while of at by for with about against between into through during before after above
  below to from up down in out on off over under again further then once here there when where why how all any both each few more
  most other some such no nor not only own same so than too very`.split(/\s+/),
);
