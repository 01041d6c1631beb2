import { outsideCode } from './emoji.ts';
import type { UsernameOf } from './source.ts';

/**
 * Replaces the usernames in a text with the new ones, if they differ. They are compared in lower
 * case.
 */
export const withUsernames = (text: string, usernameOf: UsernameOf): string =>
  outsideCode(text, (part) =>
    part.replaceAll(/(?<![\p{L}\p{N}_@./-])@([\p{L}\p{N}_][\p{L}\p{N}\p{M}_.-]*)/gu, (whole, called: string) => {
      // A name may be followed by the dot of a sentence.
      let end = called.length;
      while (end > 1 && '._-'.includes(called.charAt(end - 1))) end--;
      const name = called.slice(0, end);
      const [all, most] = [usernameOf(called.toLowerCase()), usernameOf(name.toLowerCase())];
      if (all !== undefined) return `@${all}`;
      return most === undefined ? whole : `@${most}${called.slice(end)}`;
    }),
  );
