import { outsideCode } from './emoji.ts';
import type { UsernameOf } from './source.ts';

/** A text with the usernames of here, where these differ. They are looked up in lower case. */
export const withUsernames = (text: string, usernameOf: UsernameOf): string =>
  outsideCode(text, (part) =>
    // A name may end before a dot that ends the sentence.
    part.replaceAll(/(?<![\w@./-])@(\w[\w.-]*?)([._-]*)(?![\w.-])/g, (whole, name: string, end: string) => {
      const [all, most] = [usernameOf((name + end).toLowerCase()), usernameOf(name.toLowerCase())];
      if (all !== undefined) return `@${all}`;
      return most === undefined ? whole : `@${most}${end}`;
    }),
  );
