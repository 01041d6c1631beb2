import anyAscii from 'any-ascii';
import { newUsername } from './users.ts';

/* Usernames for people whom others have named, in any script: by an identity provider, or in another chat. */

/** So long that a number still fits after it. */
const longest = 56;

/** What is known of somebody, the best first; each may be missing, or nothing that makes a username. */
type Sources = readonly (string | undefined)[];

/**
 * The first username that follows from one of these texts; undefined if none does. Other scripts are transliterated.
 * Chinese characters are so only if nothing else is left, because nothing says in which language they are read.
 */
export function suggestUsername(texts: Sources, separator: '.' | '-'): string | undefined {
  const known = texts.filter((text) => text !== undefined);
  const [plain, han] = [known.filter((text) => !isHan.test(text)), known.filter((text) => isHan.test(text))];
  for (const text of [...plain, ...han]) {
    const name = usernameOf(text, separator);
    if (name !== undefined) return name;
  }
  return undefined;
}

const isHan = /\p{Script=Han}/u;

function usernameOf(text: string, separator: string): string | undefined {
  const plain = anyAscii(text.slice(0, 200).normalize('NFKD').replaceAll(/\p{M}/gu, ''))
    .toLowerCase()
    .replaceAll(/[^a-z0-9._-]+/g, separator)
    .replaceAll(/^[._-]+/g, '')
    .slice(0, longest)
    .replaceAll(/[._-]+$/g, '');
  // An emoji or a sign alone is no name of anybody, although it has one in ASCII.
  return /\p{L}|\p{N}/u.test(text) ? newUsername.read(plain) : undefined;
}

/** What stands before the `@` of an address, without what somebody has added to tell its e-mails apart. */
export const localPartOf = (address: string | undefined): string | undefined => address?.replace(/(?<=.)[+@].*$/s, '');
