import { type Language, localeOf } from './languages.ts';

const rules = new Map<Language, Intl.PluralRules>();

/** The plural category of a number in a language. */
export function pluralOf(language: Language, number: number): Intl.LDMLPluralRule {
  const known = rules.get(language) ?? new Intl.PluralRules(localeOf(language));
  rules.set(language, known);
  return known.select(number);
}
