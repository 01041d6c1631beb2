/**
 * A language of the page. Each but English, which the page always has, is a file
 * `strings-<language>.ts`.
 */
export type Language = 'en' | 'de' | 'ar';

/** The cache that passes the page's language to its service worker. */
export const languageCache = 'language';

const baseOf = (tag: string) => tag.split('-')[0];

/**
 * The language of a page: the user's choice, otherwise the first of the browser's languages that
 * the service allows, otherwise the first allowed one.
 */
export const languageFor = (own: string | undefined, asked: readonly string[], allowed: readonly Language[]): Language =>
  [own, ...asked.map(baseOf)].map((one) => allowed.find((other) => other === one)).find(Boolean) ?? allowed[0] ?? 'en';

/** A language for `Intl`: with a region, if the browser names one. */
export const localeOf = (language: Language, asked: readonly string[] = navigator.languages): string =>
  asked.find((one) => baseOf(one) === language && isTag(one)) ?? language;

const tags = new Map<string, boolean>();

// Some systems name things such as `en-US@posix`. Each is looked at once: every number that is
// shown asks for it.
function isTag(text: string): boolean {
  const known = tags.get(text);
  if (known !== undefined) return known;
  let isOne = true;
  try {
    Intl.getCanonicalLocales(text);
  } catch {
    isOne = false;
  }
  tags.set(text, isOne);
  return isOne;
}
