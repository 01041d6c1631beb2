import { fold } from 'chat-service-rules/words/fold';

/** Leaves space for a number at the end of a name of at most 64 characters. */
const longest = 56;

/**
 * The username of a new account: from the full name if that has Latin letters, otherwise from the
 * local part of the e-mail address. Empty if neither fits the rules of usernames.
 */
export function suggestUsername(name: string, address: string): string {
  const ofName = usernameOf(name);
  return ofName.length > 1 ? ofName : usernameFrom(address) || ofName;
}

/** The username that an e-mail address suggests: its part before the `@`, without a tag. */
export const usernameFrom = (address: string): string =>
  usernameOf(
    address
      .trim()
      .replace(/@.*$/s, '')
      .replace(/(?<=.)\+.*$/s, ''),
  );

/** A text made to fit the rules of usernames. */
function usernameOf(text: string): string {
  const name = fold(text.trim())
    .replace(/[^\w.-]+/g, '.')
    .replace(/^[^a-z0-9]+/, '')
    .slice(0, longest)
    .replace(/\.+$/, '');
  // The service would treat such a name as an id.
  return /^[0-9a-f]{24}$/.test(name) ? name.slice(0, 12) : name;
}

/**
 * The next suggestion after the service refused one: the same name with a number, soon a random
 * one.
 */
export function otherName(base: string, refused: string): string {
  if (refused === base) return `${base}2`;
  if (refused === `${base}2`) return `${base}3`;
  return `${base}${100 + Math.floor(Math.random() * 9_900)}`;
}
