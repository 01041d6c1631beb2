import { fold } from 'chat-service-rules/words/fold';

/** Room for a number at the end of a name of at most 64 characters. */
const longest = 56;

/**
 * The username that an e-mail address suggests: what stands before its `@`, without a tag, made to fit the rules of
 * usernames. Empty where nothing of it fits.
 */
export function usernameFrom(address: string): string {
  const name = fold(
    address
      .trim()
      .replace(/@.*$/s, '')
      .replace(/(?<=.)\+.*$/s, ''),
  )
    .replace(/[^\w.-]+/g, '.')
    .replace(/^[^a-z0-9]+/, '')
    .slice(0, longest)
    .replace(/\.+$/, '');
  // Such a name would be taken for an id.
  return /^[0-9a-f]{24}$/.test(name) ? name.slice(0, 12) : name;
}

/** What to suggest in place of a suggestion that the service refused: the same name with a number, which is soon one of many. */
export function otherName(base: string, refused: string): string {
  if (refused === base) return `${base}2`;
  if (refused === `${base}2`) return `${base}3`;
  return `${base}${100 + Math.floor(Math.random() * 9_900)}`;
}
