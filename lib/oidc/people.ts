import { randomInt } from 'node:crypto';
import { firstCharacters } from 'chat-service-rules/shortened';
import { normaliseName } from 'chat-service-rules/texts';
import { ObjectId } from 'mongodb';
import { email, newUsername } from '../identity/account-names.ts';
import { fullName } from '../identity/persons.ts';
import { isReserved } from '../identity/reserved-names.ts';
import { localPartOf, suggestUsername } from '../identity/username-suggestions.ts';
import type { IdentityProvider } from '../settings/identity-providers.ts';
import type { Claims } from './provider.ts';
import { providerSessionOf } from './provider-sessions.ts';

/**
 * A person at the provider, as far as accounts use it. Only `issuer` and `subject` identify the
 * account.
 */
export type Person = {
  issuer: string;
  subject: string;
  /** The preferred username. If it is taken, a number is appended. */
  username: string | undefined;
  name: string | undefined;
  email: string | undefined;
  /** True if the provider has confirmed that the person reads the e-mail of this address. */
  isEmailVerified: boolean;
  isAdmin: boolean;
  /** The session at the provider, if the provider identifies its sessions. */
  session: string | undefined;
  /** The rooms of the person's groups. */
  rooms: ObjectId[];
};

/**
 * Converts a provider's claims to a person. Values that violate the rules of a sign-up are left
 * out.
 */
export function personOf({ iss, sub, ...claims }: Claims, { groupsClaim, adminGroup, groupRooms }: IdentityProvider): Person {
  const { preferred_username, nickname, name, given_name, family_name } = claims;
  const { email: address, email_verified: verified } = claims;
  const groups = [claims[groupsClaim]].flat();
  const shown = nameOf(name) ?? nameOf([given_name, family_name].filter((one) => typeof one === 'string').join(' '));
  return {
    issuer: iss,
    subject: sub,
    username: suggestUsername([textOf(preferred_username), textOf(nickname), localPartOf(email.read(address)), shown], '.'),
    name: shown,
    email: email.read(address),
    // Some providers send a string; only `true` counts as confirmed.
    isEmailVerified: verified === true || verified === 'true',
    isAdmin: adminGroup !== '' && groups.includes(adminGroup),
    session: providerSessionOf(iss, claims.sid),
    rooms: [...new Set(groupRooms.flatMap(({ group, rooms }) => (groups.includes(group) ? rooms : [])))].map(
      (room) => new ObjectId(room),
    ),
  };
}

/** A valid full name; undefined if nothing is left of it. */
function nameOf(claim: unknown): string | undefined {
  if (typeof claim !== 'string') return undefined;
  const plain = normaliseName(firstCharacters(claim, 1_000))
    .replaceAll(/[\p{Cc}\s]+/gu, ' ')
    .trim();
  return fullName.read(firstCharacters(plain, longestName)) || undefined;
}

const longestName = 64;

/** A candidate for a username. Of an e-mail address, only the part before the `@`. */
const textOf = (claim: unknown): string | undefined => (typeof claim === 'string' ? claim.replace(/(?<=.)@.*$/s, '') : undefined);

/** The usernames to try for a new account, in order. They follow the rules of a sign-up. */
export const usernamesFor = (person: Person): string[] =>
  [...numbered(person)].filter((name) => newUsername.read(name) === name && !isReserved(name));

/** The name itself, then the name with a counter, then with a random number. */
function* numbered({ username = 'user' }: Person): Generator<string> {
  yield username;
  for (let number = 2; number <= 9; number++) yield `${username}${number}`;
  for (let tries = 0; tries < 8; tries++) yield `${username}${randomInt(1_000, 10_000_000)}`;
}
