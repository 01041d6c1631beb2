import type { Filter, ObjectId } from 'mongodb';
import { distinct } from '../api/extended-json.ts';
import { fulfilled, together } from '../database/batching.ts';
import { conflict, notFound, permissionDenied } from '../errors.ts';
import type { Caller } from '../identity/tokens.ts';
import { isThere, type Role, type RoomDocument, rooms } from './rooms.ts';

/** Who may do something in a room (absent: not only its members), and whether also when it is archived. */
export type Rule = { roles?: readonly Role[]; whenArchived?: true };

/** What a member may do. */
export const members: Rule = { roles: ['owner', 'moderator', 'member'] };

/** What takes a moderator or an owner. */
export const moderators: Rule = { roles: ['owner', 'moderator'] };

/** A room in the eyes of one user: of its members it has at most that one. */
export type RoomState = Pick<
  RoomDocument,
  '_id' | 'is_visible' | 'archived_at' | 'deleting_at' | 'seq' | 'message_count' | 'created_at' | 'changed_at'
> & { members: RoomDocument['members'] };

/** The fields of a room that make its state in the eyes of `users`; `path` is where the room stands in an aggregation. */
export const stateFields = (users: ObjectId[], path = '$') => ({
  _id: `${path}_id`,
  is_visible: `${path}is_visible`,
  archived_at: `${path}archived_at`,
  deleting_at: `${path}deleting_at`,
  seq: `${path}seq`,
  message_count: `${path}message_count`,
  created_at: `${path}created_at`,
  changed_at: `${path}changed_at`,
  members: { $filter: { input: `${path}members`, as: 'member', cond: { $in: ['$$member.user', users] } } },
});

/** A room as its feed and its pages need it, and the database's time; 404 for who may not see it, 403 for who may not read it. */
export async function readableRoom(room: ObjectId, caller: Caller): Promise<RoomState & { now: Date }> {
  const state = await findState({ room, user: caller.user._id });
  if (!state || !isShownTo(caller, state)) throw notFound('room');
  if (!isReadableBy(caller, state)) throw permissionDenied(membersOnly);
  return state;
}

/** Whether someone may read what is written in a room. */
export const isReadableBy = (caller: Caller, state: RoomState) => caller.user.is_admin || state.members.length > 0;

/** The filter of an update that only finds the room while the rule lets all of these users act. */
export const allows = ({ roles, whenArchived }: Rule, users: ObjectId[]): Filter<RoomDocument> => ({
  ...(roles && { $and: users.map((user) => ({ members: { $elemMatch: { user, role: { $in: [...roles] } } } })) }),
  ...(!whenArchived && { archived_at: null }),
});

/** Throws what, by the rule, stands in someone's way in a room. */
export function check(rule: Rule, state: RoomState): void {
  const role = state.members[0]?.role;
  if (rule.roles && (role === undefined || !rule.roles.includes(role)))
    throw permissionDenied(rule.roles.includes('member') ? membersOnly : 'Room moderator required.');
  if (state.archived_at && !rule.whenArchived) throw conflict('The room is archived.');
}

/** The same for a room that is yet to be looked at. */
export async function checkRoom(rule: Rule, room: ObjectId, caller: Caller): Promise<void> {
  const state = await findState({ room, user: caller.user._id });
  if (!state || !isShownTo(caller, state)) throw notFound('room');
  check(rule, state);
}

const findState = together(async (asked: { room: ObjectId; user: ObjectId }[]) => {
  const found = await rooms
    .aggregate<RoomState & { now: Date }>([
      { $match: { ...isThere, _id: { $in: distinct(asked.map(({ room }) => room)) } } },
      { $project: { ...stateFields(distinct(asked.map(({ user }) => user))), now: '$$NOW' } },
    ])
    .toArray();
  const states = new Map(found.map((state) => [state._id.toHexString(), state]));
  return asked.map(({ room, user }) => {
    const state = states.get(room.toHexString());
    return fulfilled(state && { ...state, members: state.members.filter((member) => member.user.equals(user)) });
  });
});

const isShownTo = (caller: Caller, state: RoomState) => state.is_visible || isReadableBy(caller, state);

const membersOnly = 'Room membership required.';
