import { comparePersons, matchesPerson } from 'chat-service-rules/words/names';
import type { ObjectId } from 'mongodb';
import { parseId } from '../api/extended-json.ts';
import { type ListPage, type Page, pageLimit, pageOf, pageStart } from '../api/pages.ts';
import { about, id, optional, type Parameter, requireAtMostOne, type Values } from '../api/parameters.ts';
import { eitherOf } from '../api/schema.ts';
import { adminRequired, invalidParameter } from '../base/errors.ts';
import { users } from '../collections/accounts/users.ts';
import { rooms } from '../collections/rooms/rooms.ts';
import { username, usernamePart } from '../identity/account-names.ts';
import { hideStatuses } from '../identity/blocks.ts';
import { type Caller, isAdmin, requireScope, scopeRequired } from '../identity/caller.ts';
import { findPersons } from '../identity/persons.ts';
import { findUserByNameFor, listUsers, type OtherUser, shownOtherUser, shownUser, type User } from '../identity/users.ts';
import { noSuchRoom } from '../rooms/contexts.ts';
import { findReadableRoom, refusalsOf } from '../rooms/permissions.ts';

/** A cursor of a list of users: the id or the name of the last user. */
const userCursor: Parameter<string> = { ...username, rule: "be an id, or a cursor from the list's Link header" };

/**
 * The search for people: one by username, or those with `q` in their names. It covers one room, or
 * all rooms that the caller shares with them.
 */
export const userSearch = {
  username: about('Return the user with exactly this username.', optional(username)),
  q: about(
    'Return users whose usernames or full names have words that start with those of `q`; for administrators also those whose addresses begin with it. Case and accents do not matter.',
    optional(usernamePart),
  ),
  room: about('Return only members of this room.', optional(id)),
  limit: pageLimit,
  after: pageStart(userCursor),
};

/** A user as the caller may see it. */
export const foundUserSchema = eitherOf(shownUser.schema, shownOtherUser.schema);

export const userSearchRefusals = [adminRequired, () => scopeRequired('members:read'), ...refusalsOf('read'), noSuchRoom];

/**
 * Finds accounts. Administrators find all accounts. Other users find accounts in rooms that they
 * share, and anybody by the exact username.
 */
export async function searchUsers(
  { username: name, q, room, limit, after }: Values<typeof userSearch>,
  caller: Caller,
): Promise<ListPage<User | OtherUser>> {
  if (name !== undefined) {
    requireAtMostOne(['username', 'q', 'room'], { username: name, q, room });
    const found = await findUserByNameFor(name, caller);
    return { items: found ? [found] : [], next: undefined };
  }
  if (room === undefined && isAdmin(caller)) return listUsers({ limit, after: idIn(after) }, q);
  if (room === undefined && q === undefined) throw adminRequired();
  requireScope(caller, 'members:read');
  const known = room === undefined ? await findAcquaintances(caller) : await findMembersOf(room, caller);
  return listPeople(known, q, { limit, after }, caller);
}

function idIn(cursor: string | undefined): ObjectId | undefined {
  const after = parseId(cursor);
  if (cursor !== undefined && !after) throw invalidParameter('after', id.rule);
  return after;
}

/** A page of the given users with `q` in their names. Names that begin with it come first. */
async function listPeople(
  among: ObjectId[],
  q = '',
  { limit, after }: Page<string>,
  caller: Caller,
): Promise<ListPage<OtherUser>> {
  const persons = await findPersons(among);
  const known = among.flatMap((_id) => {
    const person = persons.get(_id.toHexString());
    return person ? [{ _id, ...person }] : [];
  });
  const compare = comparePersons(q);
  const last = after === undefined ? undefined : (known.find(({ username }) => username === after) ?? { username: after });
  const wanted = known.filter((one) => (!last || compare(one, last) > 0) && matchesPerson(one, q)).sort(compare);
  const found: Parameters<typeof shownOtherUser.show>[0][] = [];
  // Most accounts are active, so one read is usually enough.
  for (let at = 0; at < wanted.length && found.length <= limit; at += limit + 1) {
    const ids = wanted.slice(at, at + limit + 1).map(({ _id }) => _id);
    const active = await users.find({ _id: { $in: ids }, is_active: true }, { projection: shownOtherUser.reads }).toArray();
    found.push(...active.sort(compare));
  }
  const shown = await hideStatuses(new Map(found.map((user) => [user._id.toHexString(), user])), caller);
  const show = (user: (typeof found)[number]) => shownOtherUser.show(shown.get(user._id.toHexString()) ?? user);
  return pageOf(found, limit, show, (last) => last.username);
}

async function findMembersOf(room: ObjectId, caller: Caller): Promise<ObjectId[]> {
  await findReadableRoom(room, caller);
  const found = await rooms.findOne<{ members: { user: ObjectId }[] }>({ _id: room }, { projection: { 'members.user': 1 } });
  return (found?.members ?? []).map(({ user }) => user);
}

/**
 * The users who share a room with the caller. Only the rooms that changed last are read, so that
 * the work is bounded.
 */
async function findAcquaintances({ user }: Caller): Promise<ObjectId[]> {
  const found = await rooms
    .aggregate<{ _id: ObjectId }>(
      { 'members.user': user._id },
      [
        { $project: { changed_at: 1, user: '$members.user' } },
        { $sort: { changed_at: -1 } },
        { $limit: mostRooms },
        { $unwind: '$user' },
        { $limit: mostMembers },
        { $group: { _id: '$user' } },
      ],
      { batchSize: mostMembers },
    )
    .toArray();
  return found.map(({ _id }) => _id).filter((other) => !other.equals(user._id));
}

const mostRooms = 100;
const mostMembers = 10_000;
