import type { Document, ObjectId } from 'mongodb';
import { distinct } from '../api/extended-json.ts';
import { about, type Parameter, trimmedText } from '../api/parameters.ts';
import { aText, aTrue, described, eitherOf } from '../api/schema.ts';
import { type StatusDocument, type UserDocument, users } from '../collections/accounts/users.ts';
import { stateOf } from '../database/within-process.ts';
import { aStatus, showStatus } from './statuses.ts';

/*
 * The public identity of users: the username (for sign-in and mentions), the optional full name,
 * and the version of their picture.
 */

/**
 * The fields that represent a user in messages and other resources; all but `username` may be
 * absent.
 */
export const aUsername = described('The current username; `(deleted)` for a deleted user.', aText);
export const aBot = described('Present, and true, for a program: a bot or a webhook.', aTrue);
export const aFullName = described('The full name of the user, if set.', aText);
export const aPicture = described("The version of the user's picture at `GET /api/users/{user}/avatar`, if there is one.", aText);
export const personFields = { username: aUsername, name: aFullName, avatar: aPicture, is_bot: aBot };
/** The fields that represent a user in lists of people; all but `username` may be absent. */
export const statedFields = { ...personFields, status: aStatus };

/** The names of a user, the version of the picture, and the flag of a bot or webhook. */
export type Person = { username: string; name?: string; avatar?: string; is_bot?: true };
export type StatedPerson = Person & { status?: StatusDocument };

/** The username shown for a deleted user; it is not a valid username. */
const deletedUsername = '(deleted)';

/** The representation of a user in other resources; without an argument, that of a deleted user. */
export const showPerson = ({ username = deletedUsername, name, avatar, is_bot }: Partial<Person> = {}): Person => ({
  username,
  ...(name !== undefined && { name }),
  ...(avatar !== undefined && { avatar }),
  ...(is_bot && { is_bot }),
});

/** The representation of a user in lists of people. */
export const showStated = (person: Partial<StatedPerson> = {}) => ({ ...showPerson(person), ...showStatus(person) });

const read = ['username', 'name', 'avatar', 'status', 'is_bot'] as const satisfies (keyof StatedPerson)[];

/**
 * The projection to the stored fields of a `StatedPerson`; `path` is the prefix of the account's
 * fields.
 */
export const personReads = (path = ''): Document => Object.fromEntries(read.map((name) => [path + name, 1]));

/** An aggregation expression that maps an array of accounts to `StatedPerson`s. */
export const personsOf = (accounts: string): Document => ({
  $map: { input: accounts, as: 'account', in: Object.fromEntries(read.map((name) => [name, `$$account.${name}`])) },
});

const line = trimmedText(64);

/** A full name in any script; an empty text removes it. */
export const fullName: Parameter<string> = about('The full name, in any script, which others see. An empty text removes it.', {
  ...line,
  read: (sent) => (sent === '' ? '' : line.read(sent)),
  rule: `be empty, or ${line.rule}`,
  schema: eitherOf({ const: '' }, line.schema),
});

/** Users and webhook accounts by their ids in hexadecimal; undefined for deleted accounts. */
export type Persons = ReadonlyMap<string, StatedPerson | undefined>;

/**
 * A cache of users, valid while no account changes, with the state of the accounts before the first
 * read. It is dropped above about `mostKnown` users.
 */
let known: { persons: Map<string, StatedPerson | undefined>; state: number } = { persons: new Map(), state: Number.NaN };
const mostKnown = 10_000;

/** Finds these users; the result may contain others. Users are cached until any account changes. */
export async function findPersons(ids: ObjectId[]): Promise<Persons> {
  const state = stateOf(users.unscoped);
  if (known.state !== state || known.persons.size > mostKnown) known = { persons: new Map(), state };
  const { persons } = known;
  const unknown = distinct(ids).filter((id) => !persons.has(id.toHexString()));
  if (unknown.length === 0) return persons;
  const found = await users.unscoped
    .find<Pick<UserDocument, '_id'> & StatedPerson>(
      { _id: { $in: unknown }, username: { $exists: true } },
      { projection: personReads() },
    )
    .toArray();
  for (const id of unknown) persons.set(id.toHexString(), undefined);
  for (const { _id, ...person } of found) persons.set(_id.toHexString(), person);
  return persons;
}
