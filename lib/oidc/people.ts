import { randomInt } from 'node:crypto';
import { ObjectId } from 'mongodb';
import { fullName } from '../identity/persons.ts';
import { isReserved } from '../identity/reserved-names.ts';
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
  const { preferred_username, nickname, name, email: address, email_verified: verified } = claims;
  const groups = [claims[groupsClaim]].flat();
  return {
    issuer: iss,
    subject: sub,
    username: usernameOf(preferred_username) ?? usernameOf(nickname),
    name: fullName.read(name) || undefined,
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

/** A name as accounts have it: without accents, and of an address only what stands before the `@`. */
function usernameOf(claim: unknown): string | undefined {
  if (typeof claim !== 'string') return undefined;
  const plain = claim
    .slice(0, 200)
    .replace(/(?<=.)@.*$/s, '')
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(/[^\w.-]+/g, '.')
    .replace(/^[^a-z0-9]+|[.]+$/gi, '')
    .slice(0, longestUsername)
    .replace(/[.]+$/, '');
  return newUsername.read(plain);
}

/** Room for the number at the end of a name. */
const longestUsername = 56;

/** The names to try for a new account, one after the other, as those who sign up may choose them. */
export const usernamesFor = (person: Person): string[] =>
  [...numbered(person)].filter((name) => newUsername.read(name) === name && !isReserved(name));

/** A name as it is, then with a number that counts on, and then with one that is drawn from many. */
function* numbered({ username = 'user' }: Person): Generator<string> {
  yield username;
  for (let number = 2; number <= 9; number++) yield `${username}${number}`;
  for (let tries = 0; tries < 8; tries++) yield `${username}${randomInt(1_000, 10_000_000)}`;
}
