import { randomInt } from 'node:crypto';
import { normaliseName } from 'chat-service-rules/texts';
import { ObjectId } from 'mongodb';
import { fullName } from '../identity/persons.ts';
import { isReserved } from '../identity/reserved-names.ts';
import { localPartOf, suggestUsername } from '../identity/username-suggestions.ts';
import { email, newUsername } from '../identity/users.ts';
import type { IdentityProvider } from '../settings/identity-providers.ts';
import type { Claims } from './provider.ts';
import { providerSessionOf } from './provider-sessions.ts';

/** What an account takes over of what the provider says of a person. Nothing of it says whose account that is. */
export type Person = {
  issuer: string;
  subject: string;
  /** What the account may be called, if that is free; it has a number at its end otherwise. */
  username: string | undefined;
  name: string | undefined;
  email: string | undefined;
  /** Whether the provider has seen that the person reads the e-mail of the address. */
  isEmailVerified: boolean;
  isAdmin: boolean;
  /** The session at the provider, if that tells its sessions apart. */
  session: string | undefined;
  /** The rooms that the groups of the person give. */
  rooms: ObjectId[];
};

/** Reads what the provider says of a person, by the rules of a sign-up; what breaks them is left out. */
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
    // Some providers say it as a text, of which only this one means it.
    isEmailVerified: verified === true || verified === 'true',
    isAdmin: adminGroup !== '' && groups.includes(adminGroup),
    session: providerSessionOf(iss, claims.sid),
    rooms: [...new Set(groupRooms.flatMap(({ group, rooms }) => (groups.includes(group) ? rooms : [])))].map(
      (room) => new ObjectId(room),
    ),
  };
}

/** A full name as accounts may have it; undefined if nothing is left of it. */
function nameOf(claim: unknown): string | undefined {
  if (typeof claim !== 'string') return undefined;
  const plain = normaliseName(claim.slice(0, 1_000))
    .replaceAll(/[\p{Cc}\s]+/gu, ' ')
    .trim();
  return fullName.read([...plain].slice(0, longestName).join('')) || undefined;
}

const longestName = 64;

/** A text for a username; of an address only what stands before the `@`. */
const textOf = (claim: unknown): string | undefined => (typeof claim === 'string' ? claim.replace(/(?<=.)@.*$/s, '') : undefined);

/** The names to try for a new account, one after the other, as those who sign up may choose them. */
export const usernamesFor = (person: Person): string[] =>
  [...numbered(person)].filter((name) => newUsername.read(name) === name && !isReserved(name));

/** A name as it is, then with a number that counts on, and then with one that is drawn from many. */
function* numbered({ username = 'user' }: Person): Generator<string> {
  yield username;
  for (let number = 2; number <= 9; number++) yield `${username}${number}`;
  for (let tries = 0; tries < 8; tries++) yield `${username}${randomInt(1_000, 10_000_000)}`;
}
