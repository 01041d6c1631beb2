import type { Rank } from 'chat-service-rules/permissions';
import type { Document, ObjectId } from 'mongodb';
import { distinct } from '../api/extended-json.ts';
import { notFound, type Refusal } from '../base/errors.ts';
import { type MemberDocument, type RoomDocument, rooms } from '../collections/rooms/rooms.ts';
import { batch, fulfilled } from '../database/batching.ts';
import { type Caller, isAdmin } from '../identity/caller.ts';
import { personsOf, type StatedPerson } from '../identity/persons.ts';

export const noSuchRoom: Refusal = () => notFound('room');

/** A room as it is at a time of the database. */
export type RoomState = Pick<RoomDocument, StateField> & { now: Date };

/** A room as one caller finds it: everything that decides what the caller may do in it. */
export type RoomContext = RoomState & {
  rank: Rank;
  /** The caller as a member. */
  member: MemberDocument | undefined;
};

/**
 * A room as one caller finds it, with a member or user as the target of an action: everything that
 * decides if the caller may do it.
 */
export type TargetContext = RoomContext & {
  memberCount: number;
  ownerCount: number;
  /** The member or user that something is to be done to. */
  target: MemberDocument | undefined;
  isTargetBanned: boolean;
  /** The names of the target, set if it was looked up by its membership. */
  targetPerson: StatedPerson | undefined;
};

const stateFields = [
  '_id',
  'name',
  'is_open',
  'is_visible',
  'archived_at',
  'is_direct',
  'seq',
  'message_count',
  'lost',
  'lost_count',
  'last_deleted',
  'created_at',
  'changed_at',
] as const satisfies (keyof RoomDocument)[];
type StateField = (typeof stateFields)[number];

/** A room as the database gives it for a context: with the requested members. */
export type ContextRow = RoomState & Pick<RoomDocument, 'members'>;

/**
 * A room as the database gives it for a context with a target: also with all owners, and with the
 * requested bans.
 */
type TargetRow = ContextRow & Pick<RoomDocument, 'banned'> & { member_count: number; target_persons?: StatedPerson[] };

/**
 * The projection to a `ContextRow` for some users. In an aggregation, `path` is the path of the
 * room's fields.
 */
export const contextFields = (users: ObjectId[], path = '$') => ({
  ...Object.fromEntries(stateFields.map((name) => [name, `${path}${name}`])),
  members: { $filter: { input: `${path}members`, as: 'member', cond: { $in: ['$$member.user', users] } } },
  now: '$$NOW',
});

/** The projection to a `TargetRow` for some users and members. */
const targetFields = (users: ObjectId[], members: ObjectId[] = []) => ({
  ...contextFields(users),
  member_count: { $size: '$members' },
  members: {
    $filter: {
      input: '$members',
      as: 'member',
      cond: {
        $or: [{ $in: ['$$member.user', users] }, { $in: ['$$member._id', members] }, { $eq: ['$$member.role', 'owner'] }],
      },
    },
  },
  banned: { $filter: { input: '$banned', as: 'user', cond: { $in: ['$$user', users] } } },
});

/** The context of a caller from what the database gave. */
export function contextOf({ members, ...state }: ContextRow, caller: Caller): RoomContext {
  const member = members.find(({ user }) => user.equals(caller.user._id));
  return { ...state, rank: isAdmin(caller) ? 'admin' : (member?.role ?? 'stranger'), member };
}

/** The context of a caller in a room, with a user or a member as the target. */
function targetContextOf(row: TargetRow, caller: Caller, target: { user: ObjectId } | { member: ObjectId }): TargetContext {
  const { banned, member_count: memberCount, target_persons: persons, ...context } = row;
  const isTarget = ({ _id, user }: MemberDocument) => ('user' in target ? user.equals(target.user) : _id.equals(target.member));
  return {
    ...contextOf(context, caller),
    memberCount,
    ownerCount: row.members.filter(({ role }) => role === 'owner').length,
    target: row.members.find(isTarget),
    isTargetBanned: 'user' in target && banned.some((id) => id.equals(target.user)),
    targetPerson: persons?.[0],
  };
}

type AccessRequest = { room: ObjectId; caller: Caller };

/** Reads the rooms of concurrent requests in one query, and makes a context for each caller. */
const contextReader = <A extends AccessRequest, Row extends ContextRow, Context>(
  fieldsFor: (asked: A[]) => Document,
  contextOf: (row: Row, asked: A) => Context,
): ((asked: A) => Promise<Context | undefined>) =>
  batch(async (asked: A[]) => {
    const where = { _id: { $in: distinct(asked.map(({ room }) => room)) } };
    const found = await rooms.aggregate<Row>(where, [{ $project: fieldsFor(asked) }]).toArray();
    const rows = new Map(found.map((row) => [row._id.toHexString(), row]));
    return asked.map((one) => {
      const row = rows.get(one.room.toHexString());
      return fulfilled(row && contextOf(row, one));
    });
  });

const readContext = contextReader(
  (asked: AccessRequest[]) => contextFields(distinct(asked.map(({ caller }) => caller.user._id))),
  (row: ContextRow, { caller }) => contextOf(row, caller),
);

const readTargetContext = contextReader(
  (asked: (AccessRequest & { user: ObjectId })[]) =>
    targetFields(distinct(asked.flatMap(({ caller, user }) => [caller.user._id, user]))),
  (row: TargetRow, { caller, user }) => targetContextOf(row, caller, { user }),
);

/** Reads a room as a caller finds it; undefined when it does not exist. */
export const findContext = (room: ObjectId, caller: Caller): Promise<RoomContext | undefined> => readContext({ room, caller });

/**
 * Reads a room as a caller finds it, with a user as the target, member or not. Returns undefined if
 * the room does not exist.
 */
export const findTargetContext = (room: ObjectId, caller: Caller, user: ObjectId): Promise<TargetContext | undefined> =>
  readTargetContext({ room, caller, user });

/**
 * Reads the room of a member as a caller finds it, with the member as the target. Returns undefined
 * if the member does not exist.
 */
export async function findContextOfMember(member: ObjectId, caller: Caller): Promise<TargetContext | undefined> {
  const isTarget = { $eq: ['$$member._id', member] };
  const [row] = await rooms
    .aggregate<TargetRow>({ 'members._id': member }, [
      {
        $project: {
          ...targetFields([caller.user._id], [member]),
          target: { $filter: { input: '$members', as: 'member', cond: isTarget } },
        },
      },
      { $lookup: { from: 'users', localField: 'target.user', foreignField: '_id', as: 'users' } },
      { $set: { target_persons: personsOf('$users') } },
      { $project: { users: 0, target: 0 } },
    ])
    .toArray();
  return row && targetContextOf(row, caller, { member });
}

/**
 * Reads a room for the service itself, without a check of permissions. Throws 404 if the room does
 * not exist.
 */
export async function findRoomState(room: ObjectId): Promise<RoomState> {
  const fields = Object.fromEntries(stateFields.map((name) => [name, 1]));
  const [found] = await rooms.aggregate<RoomState>({ _id: room }, [{ $project: { ...fields, now: '$$NOW' } }]).toArray();
  if (!found) throw noSuchRoom();
  return found;
}
