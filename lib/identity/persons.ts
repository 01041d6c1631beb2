import type { Document, ObjectId } from 'mongodb';
import { distinct } from '../api/extended-json.ts';
import { about, type Parameter, trimmedText } from '../api/parameters.ts';
import { aText, aTrue, described, eitherOf } from '../api/schema.ts';
import { type StatusDocument, type UserDocument, users } from '../collections/accounts/users.ts';
import { stateOf } from '../database/within-process.ts';
import { aStatus, showStatus } from './statuses.ts';

/*
 * What users are called: the username, by which they sign in and are mentioned, and the full name, if they have one;
 * and the version of their picture.
 */

/** The fields by which other things, such as messages, show a user; all but `username` may be absent. */
export const aUsername = described('The current username; `(deleted)` for a deleted user.', aText);
export const aBot = described('Present, and true, for a program: a bot or a webhook.', aTrue);
export const aFullName = described('The full name of the user, if set.', aText);
export const aPicture = described("The version of the user's picture at `GET /api/users/{user}/avatar`, if there is one.", aText);
export const personFields = { username: aUsername, name: aFullName, avatar: aPicture, is_bot: aBot };
/** The fields by which lists of people show a user; all but `username` may be absent. */
export const statedFields = { ...personFields, status: aStatus };

/** What a user is called, the version of the user's picture, and whether it is a program. */
export type Person = { username: string; name?: string; avatar?: string; is_bot?: true };
export type StatedPerson = Person & { status?: StatusDocument };

/** The username that is shown for a deleted user; no user can have it. */
const deletedUsername = '(deleted)';

/** A user as other things show one; without anything that is stored, a deleted one. */
export const showPerson = ({ username = deletedUsername, name, avatar, is_bot }: Partial<Person> = {}): Person => ({
  username,
  ...(name !== undefined && { name }),
  ...(avatar !== undefined && { avatar }),
  ...(is_bot && { is_bot }),
});

/** A user as lists of people show one. */
export const showStated = (person: Partial<StatedPerson> = {}) => ({ ...showPerson(person), ...showStatus(person) });

const read = ['username', 'name', 'avatar', 'status', 'is_bot'] as const satisfies (keyof StatedPerson)[];

/** The projection to the stored fields of a `StatedPerson`; `path` is where the account stands. */
export const personReads = (path = ''): Document => Object.fromEntries(read.map((name) => [path + name, 1]));

/** The accounts that an aggregation has found, as an expression that makes of each a `StatedPerson`. */
export const personsOf = (accounts: string): Document => ({
  $map: { input: accounts, as: 'account', in: Object.fromEntries(read.map((name) => [name, `$$account.${name}`])) },
});

const line = trimmedText(64);

/** A full name, in any script; empty to have none. */
export const fullName: Parameter<string> = about('The full name, in any script, which others see. An empty text removes it.', {
  ...line,
  read: (sent) => (sent === '' ? '' : line.read(sent)),
  rule: `be empty, or ${line.rule}`,
  schema: eitherOf({ const: '' }, line.schema),
});

/** Users by their ids in hexadecimal, and the accounts by which webhooks speak; deleted accounts have neither name. */
export type Persons = ReadonlyMap<string, StatedPerson | undefined>;

/**
 * The users who were read since an account last changed, about so many at most, and the state of the accounts before
 * that.
 */
let known: { persons: Map<string, StatedPerson | undefined>; state: number } = { persons: new Map(), state: Number.NaN };
const mostKnown = 10_000;

/**
 * What these users are called, and maybe others. One who was read before is not asked for again where no account has
 * changed since.
 */
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
