import type { Filter, ObjectId } from 'mongodb';
import { dateSchema, distinct, idSchema, showDate } from '../api/extended-json.ts';
import { type ListPage, type Page, pageById } from '../api/pages.ts';
import { type ShownBy, shownFrom } from '../api/representation.ts';
import { aFalse, aFlag, aText, aTrue, described, type Shown } from '../api/schema.ts';
import { SerialisedJson } from '../api/serialised-json.ts';
import { notFound, type Refusal } from '../base/errors.ts';
import { type UserDocument, users } from '../collections/accounts/users.ts';
import { rooms } from '../collections/rooms/rooms.ts';
import { isUpgraded } from '../collections/service/upgrade.ts';
import { config } from '../settings/config.ts';
import { beginningFor, matchesAccount } from './beginnings.ts';
import { type Caller, isAdmin } from './caller.ts';
import { aBot, aFullName, aPicture, aUsername, personReads, type StatedPerson } from './persons.ts';
import { aQuietHours } from './quiet-hours.ts';
import { aStatus, showStatus } from './statuses.ts';

const { as, ownId, date, made, representation } = shownFrom<Caller['user']>();

/** The owner field of other representations. */
export const aUserId = described('The id of the user.', idSchema);

const ofEveryone = {
  _id: ownId,
  username: as(aUsername, 'username'),
  name: as(aFullName, 'name'),
  avatar: as(aPicture, 'avatar'),
  is_bot: as(aBot, 'is_bot'),
  status: made(aStatus, (user) => showStatus(user).status as Shown<typeof aStatus>, { status: 1 }),
};

/** A user as the user and administrators see it. */
export const shownUser = representation(
  'User',
  {
    ...ofEveryone,
    email: as(described('The e-mail address as typed, for the user and administrators only; absent for a bot.', aText), 'email'),
    is_admin: as(described('Whether the user is an administrator and may do everything.', aFlag), 'is_admin'),
    is_active: as(described('Whether the account can be used.', aFlag), 'is_active'),
    created_at: date('created_at', 'The time of sign-up.'),
    quiet_until: made(
      described('The end of the pause of notifications, if set.', dateSchema),
      ({ quiet_until }) => quiet_until && showDate(quiet_until),
      { quiet_until: 1 },
    ),
    quiet_hours: as(aQuietHours, 'quiet_hours'),
    shows_presence: made(
      described('Whether people in shared rooms see when the user is active.', aFlag),
      ({ shows_presence }) => shows_presence !== false,
      { shows_presence: 1 },
    ),
    hides_push_text: made(
      described('Present and true if the user or the service hides message texts in notifications.', aTrue),
      ({ hides_push_text }) => (hides_push_text || !config.hasPushText ? (true as const) : undefined),
      { hides_push_text: 1 },
    ),
    email_digest: as(
      described('Present and false if the user has turned off e-mails about unread messages.', aFalse),
      'email_digest',
    ),
    is_connected: made(
      described('Present, and true, if a person at the identity provider signs in to the account.', aTrue),
      ({ identity }) => (identity ? (true as const) : undefined),
      { 'identity.issuer': 1 },
    ),
  },
  [
    'name',
    'avatar',
    'is_bot',
    'status',
    'email',
    'quiet_until',
    'quiet_hours',
    'hides_push_text',
    'email_digest',
    'is_connected',
  ],
);
export type User = ShownBy<typeof shownUser>;

/**
 * A user in the documentation, for calls that need another program, so that none can be generated.
 */
export const exampleUser: User = {
  _id: { $oid: '6b0163a4327fbcafc916e187' },
  username: 'bob',
  email: 'bob@example.org',
  is_admin: false,
  is_active: true,
  created_at: { $date: '2026-11-21T09:04:42.123Z' },
  shows_presence: true,
};

/** A user as others see it. */
export const shownOtherUser = representation('OtherUser', ofEveryone, ['name', 'avatar', 'is_bot', 'status']);
export type OtherUser = ShownBy<typeof shownOtherUser>;

export const noSuchUser: Refusal = () => notFound('user');

/** The account with this id; 404 for an unknown id. */
export async function findUser(id: ObjectId): Promise<User> {
  const user = await users.findOne({ _id: id });
  if (!user) throw noSuchUser();
  return shownUser.show(user);
}

/**
 * The account with this id as the caller may see it: callers see their own in full, and
 * administrators everyone's.
 */
export async function findUserFor(id: ObjectId, caller: Caller): Promise<User | OtherUser | SerialisedJson<User>> {
  if (id.equals(caller.user._id)) return ownJson(caller.user);
  const user = await users.findOne({ _id: id });
  if (!user) throw noSuchUser();
  return showTo(user, caller);
}

/**
 * A caller's own account, which was read with the token and stays the same object until some
 * account changes.
 */
function ownJson(account: Caller['user']): SerialisedJson<User> {
  const known = ownJsons.get(account);
  if (known) return known;
  const made = new SerialisedJson<User>(JSON.stringify(shownUser.show(account)));
  ownJsons.set(account, made);
  return made;
}

const ownJsons = new WeakMap<Caller['user'], SerialisedJson<User>>();

/** The account with this name; 404 for an unknown name. */
export async function findUserByName(name: string): Promise<User> {
  const user = await users.findOne({ username: name });
  if (!user) throw noSuchUser();
  return shownUser.show(user);
}

/**
 * The account with this name as the caller may see it; only administrators find one that is not
 * active.
 */
export async function findUserByNameFor(name: string, caller: Caller): Promise<User | OtherUser | undefined> {
  if (name === caller.user.username) return shownUser.show(caller.user);
  const user = await users.findOne({ username: name, ...(!isAdmin(caller) && { is_active: true }) });
  return user ? showTo(user, caller) : undefined;
}

/**
 * An account as somebody else sees it: with its status only if they share a room, and if it has not
 * blocked the caller.
 */
async function showTo(user: UserDocument, caller: Caller): Promise<User | OtherUser> {
  if (isAdmin(caller)) return shownUser.show(user);
  const { status, ...withoutStatus } = user;
  return shownOtherUser.show(status && (await isKnownTo(user, caller)) ? user : withoutStatus);
}

const isKnownTo = async ({ _id, blocked = [] }: UserDocument, { user: { _id: other } }: Caller): Promise<boolean> =>
  !blocked.some((one) => one.equals(other)) &&
  (await rooms.findOne({ $and: [{ 'members.user': _id }, { 'members.user': other }] }, { projection: { _id: 1 } })) !== null;

/** The id of the account with this name; 404 for an unknown name. */
export async function findUserId(name: string): Promise<ObjectId> {
  const user = await users.findOne({ username: name }, { projection: { _id: 1 } });
  if (!user) throw noSuchUser();
  return user._id;
}

/** The id of the active account with this name; undefined if not found. */
export async function findActiveUserId(name: string): Promise<ObjectId | undefined> {
  return (await users.findOne({ username: name, is_active: true }, { projection: { _id: 1 } }))?._id;
}

/** The names of the active account with this id; undefined if not found. */
export async function findActivePerson(id: ObjectId): Promise<StatedPerson | undefined> {
  return (await users.findOne<StatedPerson>({ _id: id, is_active: true }, { projection: personReads() })) ?? undefined;
}

/** The ids of the accounts with these names, by name. */
export async function findUserIdsByName(names: string[]): Promise<Map<string, ObjectId>> {
  if (names.length === 0) return new Map();
  const found = await users.find({ username: { $in: names } }, { projection: { username: 1 } }).toArray();
  return new Map(found.map(({ _id, username }) => [username, _id]));
}

/** The ids of the active accounts with these ids and names; 404 when one of them does not exist. */
export const findActiveUsers = async (wanted: (ObjectId | string)[]): Promise<ObjectId[]> => [
  ...(await findActiveIds(wanted)).values(),
];

/** The ids of active accounts, by the wanted id in hexadecimal or the wanted name. */
export async function findActiveIds(wanted: (ObjectId | string)[]): Promise<Map<string, ObjectId>> {
  const names = [...new Set(wanted.filter((one) => typeof one === 'string'))];
  const ids = distinct(wanted.filter((one) => typeof one !== 'string'));
  const find = async (filter: Filter<Omit<UserDocument, '_id'>>, count: number) =>
    count === 0 ? [] : users.find({ ...filter, is_active: true }, { projection: { username: 1 } }).toArray();
  const [named, identified] = await Promise.all([
    find({ username: { $in: names } }, names.length),
    find({ _id: { $in: ids } }, ids.length),
  ]);
  const byId = new Map(identified.map(({ _id }) => [_id.toHexString(), _id]));
  // Older accounts may have a name that looks like an id.
  const unknown = ids.map((id) => id.toHexString()).filter((id) => !byId.has(id));
  const others = await find({ username: { $in: unknown } }, unknown.length);
  if (named.length < names.length || others.length < unknown.length) throw noSuchUser();
  const byName = (found: typeof named) => found.map(({ _id, username }) => [username, _id] as const);
  return new Map([...byName(named), ...byId, ...byName(others)]);
}

/** The most accounts that are examined for a page of those with a name. */
const mostLookedAt = 5_000;

/**
 * A page of accounts in the order of their ids: all, or those with `q` in their names or at the
 * beginning of their addresses. The index of beginnings narrows the search, unless `q` cannot begin
 * a word or the index is still being filled.
 */
export async function listUsers({ limit, after }: Page, q = ''): Promise<ListPage<User>> {
  const beginning = q === '' || !(await isUpgraded('beginnings of accounts')) ? undefined : beginningFor(q);
  const found: UserFields[] = [];
  let last = after;
  for (let lookedAt = 0; lookedAt < mostLookedAt; ) {
    const size = lookedAt === 0 && (q === '' || beginning !== undefined) ? limit + 1 : chunkSize;
    const read = beginning === undefined ? readAfter : readBeginningAfter(beginning);
    const { chunk, isLast } = await read(last, size);
    found.push(...chunk.filter((user) => q === '' || matchesAccount(user, q)));
    if (found.length > limit || isLast) return pageById(found, limit, shownUser.show);
    lookedAt += chunk.length;
    last = chunk.at(-1)?._id;
  }
  return { items: found.map(shownUser.show), next: last?.toHexString() };
}

type UserFields = Parameters<typeof shownUser.show>[0];
const chunkSize = 500;

/** The next accounts in order; `isLast` if no others follow. */
type Chunk = { chunk: UserFields[]; isLast: boolean };

async function readAfter(
  last: ObjectId | undefined,
  size: number,
  where: Filter<Omit<UserDocument, '_id'>> = {},
): Promise<Chunk> {
  const options = { sort: { _id: 1 as const }, limit: size, batchSize: size + 1 };
  const chunk = await users.find(last ? { ...where, _id: { $gt: last } } : where, options).toArray();
  return { chunk, isLast: chunk.length < size };
}

/**
 * Accounts whose name or address begins like this. Both are read in order, and merged as far as
 * both have been read.
 */
const readBeginningAfter =
  (beginning: string) =>
  async (last: ObjectId | undefined, size: number): Promise<Chunk> => {
    const both = await Promise.all([
      readAfter(last, size, { name_beginnings: beginning }),
      readAfter(last, size, { email_beginnings: beginning }),
    ]);
    const ends = both.flatMap(({ chunk, isLast }) => (isLast ? [] : [idIn(chunk.at(-1) as UserFields)])).sort();
    const [end] = ends;
    const all = new Map(both.flatMap(({ chunk }) => chunk.map((user) => [idIn(user), user] as const)));
    const chunk = [...all]
      .filter(([id]) => end === undefined || id <= end)
      .sort(([one], [other]) => (one < other ? -1 : 1))
      .map(([, user]) => user);
    return { chunk, isLast: end === undefined };
  };

const idIn = ({ _id }: UserFields): string => _id.toHexString();
