/*
 * The people in a field for several people: usernames, and e-mail addresses if the field accepts
 * them.
 */

/** True if a text may be an e-mail address: the service decides. */
export const isAddress = (text: string): boolean => /^[^\s@,;<>]+@[^\s@,;<>]+\.[^\s@,;<>.]+$/.test(text);

/**
 * The usernames and addresses in a text: separated by blanks, commas or semicolons, usernames with
 * or without `@`.
 */
export const namesIn = (typed: string): string[] =>
  typed
    .split(/[\s,;]+/)
    .map((name) => name.replace(/^@/, ''))
    .filter(Boolean);

/**
 * The complete part of a typed or pasted text, and the part that is still being typed. Commas,
 * semicolons and line breaks end a name. A blank does not, because full names have blanks, unless
 * each word is an address.
 */
export function splitTyped(typed: string): { done: string[]; rest: string } {
  const words = typed.split(/\s+/).filter(Boolean);
  const areAddresses = words.length > 0 && words.every(isAddress) && (words.length > 1 || /\s$/.test(typed));
  if (areAddresses) return { done: words, rest: '' };
  const [, complete = '', rest = ''] = /^([\s\S]*[,;\n])?([\s\S]*)$/.exec(typed) ?? [];
  const done = complete
    .split(/[,;\n]+/)
    .map((name) => name.trim().replace(/^@/, ''))
    .filter(Boolean);
  return { done, rest: rest.trimStart() };
}
