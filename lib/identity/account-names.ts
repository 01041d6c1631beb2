import { domainToASCII, domainToUnicode } from 'node:url';
import { blankCharacters, normaliseCredential } from 'chat-service-rules/texts';
import { credential, type Parameter, textUpTo } from '../api/parameters.ts';

/**
 * A user's name: lower-cased, so that no two differ by case alone, and without the `@` of a
 * mention.
 */
export const username: Parameter<string> = credential({
  // Match before lower-casing: U+212A (KELVIN SIGN) lower-cases to "k".
  read: (sent) => (typeof sent === 'string' ? /^@?([a-z0-9][a-z0-9._-]{0,63})$/i.exec(sent)?.[1]?.toLowerCase() : undefined),
  rule: 'be 1 to 64 letters, digits, dots, underscores or hyphens, and begin with a letter or a digit',
  schema: { type: 'string', pattern: '^\\x40?[A-Za-z0-9][A-Za-z0-9._-]{0,63}$' },
});

const withoutDotAtEnd = credential({
  ...username,
  schema: { type: 'string', pattern: '^\\x40?[A-Za-z0-9]([A-Za-z0-9._-]{0,62}[A-Za-z0-9_-])?$' },
});

/**
 * The name of a new user. Older accounts may have a name that looks like an id or ends like a
 * sentence; new ones may not.
 */
export const newUsername: Parameter<string> = {
  read: (sent) => {
    const name = username.read(sent);
    return name !== undefined && !name.endsWith('.') && !/^[0-9a-f]{24}$/.test(name) ? name : undefined;
  },
  about: 'The name that others see and mention. It cannot be changed.',
  rule: `${username.rule}, not end in a dot, and not be 24 hexadecimal digits`,
  schema: {
    ...withoutDotAtEnd.schema,
    not: { pattern: `^[${blankCharacters}]*\\x40?[0-9A-Fa-f]{24}[${blankCharacters}]*$` },
  },
};

// Characters with a meaning in the header of a message would make two spellings of one mailbox.
const notInAddress = `@<>()[\\]:;,\\\\"${blankCharacters}`;
// These characters end the host of a URL or are invalid in it. They would be lost when addresses
// are compared.
const notInHost = `${notInAddress}/?#%|^`;
const anAddress = new RegExp(`^[^${notInAddress}]{1,64}@[^${notInHost}]{1,189}$`, 'u');

/**
 * An e-mail address: one @ between two parts, kept as typed; only a message to it can show whether
 * it exists.
 */
export const email: Parameter<string> = credential({
  read: (sent) => (typeof sent === 'string' && anAddress.test(sent) && !/\p{Cf}/u.test(sent) && hasHost(sent) ? sent : undefined),
  about: 'An e-mail address that no other account has.',
  rule: 'be an e-mail address',
  schema: { type: 'string', pattern: anAddress.source },
});

const hasHost = (address: string) => domainToASCII(address.replace(/^.*@/, '')) !== '';

/** A part of a user's names, or nothing; the `@` of a mention does not count. */
export const usernamePart: Parameter<string> = {
  ...textUpTo(64),
  read: (sent) => {
    const part = textUpTo(64).read(sent);
    return part === undefined ? undefined : normaliseCredential(part).replace(/^@/, '');
  },
};

/**
 * An e-mail address in the form in which addresses are compared. It ignores case, the encoding of
 * accents, and the encoding of an internationalised domain.
 */
export function emailKey(address: string): string {
  const key = plainKey(address);
  const at = key.lastIndexOf('@') + 1;
  const domain = key.slice(at).replace(/\.$/, '');
  // The name in letters, because keys have always had typed names in this form.
  return key.slice(0, at) + (domainToUnicode(domainToASCII(domain)) || domain);
}

/**
 * The keys under which an account with an address may be stored: older ones have the domain as it
 * was typed.
 */
export const emailKeys = (address: string): string[] => {
  const key = emailKey(address);
  const at = key.lastIndexOf('@') + 1;
  return [...new Set([key, plainKey(address), key.slice(0, at) + (domainToASCII(key.slice(at)) || key.slice(at))])];
};

const plainKey = (address: string) => address.normalize('NFC').toLowerCase();
