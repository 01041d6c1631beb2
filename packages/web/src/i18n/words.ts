import type { strings } from './strings.ts';
import type { laterStrings } from './strings-later.ts';
import type { pushStrings } from './strings-push.ts';

/** What another language has in place of the English words: each string, and functions that take the same. */
type Translated<T> = T extends string
  ? string
  : T extends (...args: never[]) => string
    ? T
    : { readonly [Key in keyof T]: Translated<T[Key]> };

/** All the words of a language. */
export type Words = {
  strings: Translated<typeof strings>;
  laterStrings: Translated<typeof laterStrings>;
  pushStrings: Translated<typeof pushStrings>;
};
