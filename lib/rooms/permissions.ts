import type { Filter, ObjectId } from 'mongodb';
import { distinct } from '../api/extended-json.ts';
import { type MemberDocument, type RoomDocument, roles, rooms } from '../collections/rooms.ts';
import { batch, fulfilled } from '../database/batching.ts';
import { conflict, notFound, permissionDenied, type Refusal } from '../errors.ts';
import { type Caller, isAdmin } from '../identity/caller.ts';

/** What a user is in a room, from the least to the most; administrators need not be members. */
const ranks = ['stranger', ...roles, 'admin'] as const;
type Rank = (typeof ranks)[number];

type Rule = {
  /** The least that someone must be to do it. */
  least: Exclude<Rank, 'admin'>;
  /** Administrators must be members to do it, like everyone else. */
  asMember?: true;
  /** It can't be done in an archived room. */
  notArchived?: true;
  /** It can't be done in a direct conversation, whose people and settings never change, not even by administrators. */
  notDirect?: true;
};

/** Who may do what in a room: the one table, which the checks, the filters of updates and the documented refusals are made from. */
const actions = {
  read: { least: 'member' },
  send: { least: 'member', asMember: true, notArchived: true },
  react: { least: 'member', asMember: true, notArchived: true },
  edit: { least: 'member', asMember: true, notArchived: true },
  pin: { least: 'moderator', asMember: true, notArchived: true },
  // Also in an archived room: what should not have been said can be taken back.
  deleteOwnMessage: { least: 'member' },
  deleteMessage: { least: 'moderator' },
  join: { least: 'stranger', notArchived: true, notDirect: true },
  joinInvited: { least: 'stranger', notArchived: true, notDirect: true },
  invite: { least: 'moderator', notArchived: true, notDirect: true },
  seeInvitations: { least: 'moderator' },
  add: { least: 'moderator', notArchived: true, notDirect: true },
  appoint: { least: 'owner', notArchived: true, notDirect: true },
  changeRole: { least: 'owner', notDirect: true },
  leave: { least: 'stranger', notDirect: true },
  removeMember: { least: 'moderator', notDirect: true },
  removeModerator: { least: 'owner', notDirect: true },
  seeBans: { least: 'moderator' },
  liftBan: { least: 'moderator' },
  change: { least: 'owner', notDirect: true },
} as const satisfies Record<string, Rule>;

/** Something that can be done in a room. */
export type Action = keyof typeof actions;

export const noSuchRoom: Refusal = () => notFound('room');
export const noSuchMember: Refusal = () => notFound('member');
export const roomArchived: Refusal = () => conflict('room_archived', 'The room is archived.');
export const roomDirect: Refusal = () => conflict('room_direct', 'The room is a direct conversation.');
const roleRequired: Record<Rule['least'], Refusal> = {
  stranger: noSuchRoom,
  member: () => permissionDenied('membership_required', 'Room membership required.'),
  moderator: () => permissionDenied('moderator_required', 'Room moderator required.'),
  owner: () => permissionDenied('owner_required', 'Room owner required.'),
};

/** The refusals of an action by someone who sees the room. */
export const refusalsOf = (action: Action): Refusal[] => {
  const { least, notArchived, notDirect }: Rule = actions[action];
  const ofRole = least === 'stranger' ? [] : [roleRequired[least]];
  return [...ofRole, ...(notArchived ? [roomArchived] : []), ...(notDirect ? [roomDirect] : [])];
};

/** A room as it is at a time of the database. */
export type RoomState = Pick<RoomDocument, StateField> & { now: Date };

/** A room as one caller finds it: everything that decides what the caller may do in it, and to whom. */
export type RoomContext = RoomState & {
  rank: Rank;
  /** The caller as a member. */
  member: MemberDocument | undefined;
  memberCount: number;
  ownerCount: number;
  /** The member or user that something is to be done to: the caller, if nobody else was asked for. */
  target: MemberDocument | undefined;
  isTargetBanned: boolean;
  /** The target's name, where it was looked up by its membership. */
  targetName: string | undefined;
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
  'created_at',
  'changed_at',
] as const satisfies (keyof RoomDocument)[];
type StateField = (typeof stateFields)[number];

/** A room as the database gives it for a context: with the members and bans that were asked for, and with all owners. */
export type ContextRow = RoomState &
  Pick<RoomDocument, 'members' | 'banned'> & {
    member_count: number;
    target_names?: string[];
  };

/** The projection to a `ContextRow` for some users and members; `path` is where the room stands in an aggregation. */
export const contextFields = (users: ObjectId[], members: ObjectId[] = [], path = '$') => ({
  ...Object.fromEntries(stateFields.map((name) => [name, `${path}${name}`])),
  member_count: { $size: `${path}members` },
  members: {
    $filter: {
      input: `${path}members`,
      as: 'member',
      cond: {
        $or: [{ $in: ['$$member.user', users] }, { $in: ['$$member._id', members] }, { $eq: ['$$member.role', 'owner'] }],
      },
    },
  },
  banned: { $filter: { input: `${path}banned`, as: 'user', cond: { $in: ['$$user', users] } } },
  now: '$$NOW',
});

/** The context of a caller from what the database gave. */
export function contextOf(row: ContextRow, caller: Caller, of: { user?: ObjectId; member?: ObjectId } = {}): RoomContext {
  const { members, banned, member_count: memberCount, target_names: names, ...state } = row;
  const user = of.user ?? caller.user._id;
  const memberOf = (id: ObjectId) => members.find((member) => member.user.equals(id));
  const member = memberOf(caller.user._id);
  return {
    ...state,
    rank: isAdmin(caller) ? 'admin' : (member?.role ?? 'stranger'),
    member,
    memberCount,
    ownerCount: members.filter(({ role }) => role === 'owner').length,
    target: of.member ? members.find(({ _id }) => _id.equals(of.member)) : memberOf(user),
    isTargetBanned: banned.some((id) => id.equals(user)),
    targetName: names?.[0],
  };
}

/** Reads a room as a caller finds it, with another user as the target if one is given; undefined when the room does not exist. */
export const findContext = (room: ObjectId, caller: Caller, user = caller.user._id): Promise<RoomContext | undefined> =>
  readContext({ room, caller, user });

type Asked = { room: ObjectId; caller: Caller; user: ObjectId };

const readContext = batch(async (asked: Asked[]) => {
  const users = distinct(asked.flatMap(({ caller, user }) => [caller.user._id, user]));
  const found = await rooms
    .aggregate<ContextRow>({ _id: { $in: distinct(asked.map(({ room }) => room)) } }, [{ $project: contextFields(users) }])
    .toArray();
  const rows = new Map(found.map((row) => [row._id.toHexString(), row]));
  return asked.map(({ room, caller, user }) => {
    const row = rows.get(room.toHexString());
    return fulfilled(row && contextOf(row, caller, { user }));
  });
});

/** Reads the room of a member as a caller finds it, with the member as the target; undefined when the member does not exist. */
export async function findContextOfMember(member: ObjectId, caller: Caller): Promise<RoomContext | undefined> {
  const isTarget = { $eq: ['$$member._id', member] };
  const [row] = await rooms
    .aggregate<ContextRow>({ 'members._id': member }, [
      {
        $project: {
          ...contextFields([caller.user._id], [member]),
          target: { $filter: { input: '$members', as: 'member', cond: isTarget } },
        },
      },
      { $lookup: { from: 'users', localField: 'target.user', foreignField: '_id', as: 'users' } },
      { $set: { target_names: '$users.username' } },
      { $project: { users: 0, target: 0 } },
    ])
    .toArray();
  return row && contextOf(row, caller, { member });
}

/** Whether a caller is enough in the room for an action. */
export function may({ rank, member }: RoomContext, action: Action): boolean {
  const { least, asMember }: Rule = actions[action];
  return ranks.indexOf(asMember ? (member?.role ?? 'stranger') : rank) >= ranks.indexOf(least);
}

/**
 * Requires that the room exists and the caller may see it (404), that the caller is enough in it for an action (403), and that the action can
 * be done in a room of its kind (409).
 */
export function requireRole(context: RoomContext | undefined, action: Action): RoomContext {
  const { least, notDirect }: Rule = actions[action];
  if (!context || (context.rank === 'stranger' && !context.is_visible)) throw noSuchRoom();
  if (!may(context, action)) throw roleRequired[least]();
  if (notDirect && context.is_direct) throw roomDirect();
  return context;
}

/** The same, and that the room is not archived if the action asks for that (409). */
export function requirePermission(context: RoomContext | undefined, action: Action): RoomContext {
  const required = requireRole(context, action);
  const { notArchived }: Rule = actions[action];
  if (notArchived && required.archived_at) throw roomArchived();
  return required;
}

/** Reads a room for someone who wants to read what is in it: 404 or 403 for those who may not. */
export const findReadableRoom = async (room: ObjectId, caller: Caller): Promise<RoomContext> =>
  requirePermission(await findContext(room, caller), 'read');

/** Reads a room for the service itself, which sees to it who gets what it reads there; 404 when it does not exist. */
export async function findRoomState(room: ObjectId): Promise<RoomState> {
  const fields = Object.fromEntries(stateFields.map((name) => [name, 1]));
  const [found] = await rooms.aggregate<RoomState>({ _id: room }, [{ $project: { ...fields, now: '$$NOW' } }]).toArray();
  if (!found) throw noSuchRoom();
  return found;
}

/** Requires that the target is a member of the room, and that the caller is in the room: for everyone else there is no such member (404). */
export function requireTarget(context: RoomContext | undefined): RoomContext & { target: MemberDocument } {
  if (!context?.target || context.rank === 'stranger') throw noSuchMember();
  return { ...context, target: context.target };
}

type RoomFilter = Filter<Omit<RoomDocument, '_id'>>;

/** The part of an update's filter that holds the rule of an action: it finds the room only while all these callers may do it. */
export function allowedTo(action: Action, ...callers: Caller[]): RoomFilter {
  const { least, asMember, notArchived, notDirect }: Rule = actions[action];
  const users = callers.filter((caller) => asMember || !isAdmin(caller)).map(({ user }) => user._id);
  const sufficient = roles.slice(least === 'stranger' ? 0 : roles.indexOf(least));
  // Each member has one of the roles.
  const has = (user: ObjectId): RoomFilter =>
    least === 'member' ? { 'members.user': user } : { members: { $elemMatch: { user, role: { $in: sufficient } } } };
  return {
    ...(least !== 'stranger' && users.length > 0 && { $and: distinct(users).map(has) }),
    ...(notArchived && { archived_at: null }),
    ...(notDirect && { is_direct: { $ne: true as const } }),
  };
}

/** Whether the target is the room's only owner. */
export const isLastOwner = ({ target, ownerCount }: RoomContext): boolean => target?.role === 'owner' && ownerCount === 1;

/** The part of an update's filter that says that the room has an owner without this member. */
export const keepsAnOwner = (member: ObjectId): RoomFilter => ({
  $or: [
    { members: { $elemMatch: { _id: member, role: { $ne: 'owner' } } } },
    { members: { $elemMatch: { _id: { $ne: member }, role: 'owner' } } },
  ],
});

/** The part that says that a member may leave: the room keeps an owner, or nobody remains who needs one. */
export const mayBeLeftBy = (member: ObjectId): RoomFilter => ({ $or: [keepsAnOwner(member), { members: { $size: 1 } }] });
