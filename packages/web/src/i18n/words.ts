import type { strings } from './strings.ts';
import type { laterStrings } from './strings-later.ts';
import type { pushStrings } from './strings-push.ts';

/** The shape of a translation: each string, and functions with the same parameters. */
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
