/** The locale of numbers, dates and lists; the browser's, until the page has chosen a language. */
export let locale: string | undefined;

export const setLocale = (chosen: string): void => {
  locale = chosen;
};

/** Names, one after the other. */
export const listOf = (names: readonly string[]): string =>
  new Intl.ListFormat(locale, { type: 'unit', style: 'short' }).format(names);
