import anyAscii from 'any-ascii';
import { firstCharacters } from 'chat-service-rules/shortened';
import { newUsername } from './account-names.ts';

/*
 * Usernames for people who come from an identity provider or another chat, with names in any
 * script.
 */

/** In characters. It leaves space for a number after the name. */
const longest = 56;

/** Names of a person, the best first. Each may be missing or unusable. */
type Sources = readonly (string | undefined)[];

/**
 * The first username that can be made from these texts; undefined if none can. Other scripts are
 * transliterated. Texts with Chinese characters come last, because their pronunciation depends on
 * the language.
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
  const plain = anyAscii(firstCharacters(text, 200).normalize('NFKD').replaceAll(/\p{M}/gu, ''))
    .toLowerCase()
    .replaceAll(/[^a-z0-9._-]+/g, separator)
    .replaceAll(/^[._-]+/g, '')
    .slice(0, longest)
    .replaceAll(/[._-]+$/g, '');
  // A text of emoji or symbols only is not a name, although it has a transliteration.
  return /\p{L}|\p{N}/u.test(text) ? newUsername.read(plain) : undefined;
}

/** The part of an address before the `@`, without a suffix such as `+news`. */
export const localPartOf = (address: string | undefined): string | undefined => address?.replace(/(?<=.)[+@].*$/s, '');
