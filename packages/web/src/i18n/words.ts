import type { strings } from './strings.ts';
import type { laterStrings } from './strings-later.ts';
import type { pushStrings } from './strings-push.ts';

/** The shape of a translation: each string, and functions with the same parameters. */
type TranslatedWords<T> = T extends string
  ? string
  : T extends (...args: never[]) => string
    ? T
    : { readonly [Key in keyof T]: TranslatedWords<T[Key]> };

/** All the words of a language. */
export type Words = {
  strings: TranslatedWords<typeof strings>;
  laterStrings: TranslatedWords<typeof laterStrings>;
  pushStrings: TranslatedWords<typeof pushStrings>;
};
