import type { Document, Filter, ObjectId } from 'mongodb';
import { distinct } from '../api/extended-json.ts';
import { noteReading } from '../audit/reading.ts';
import { conflict, notFound, permissionDenied, type Refusal } from '../base/errors.ts';
import { type MemberDocument, type RoomDocument, roles, rooms } from '../collections/rooms/rooms.ts';
import { batch, fulfilled } from '../database/batching.ts';
import { isWithinProcess } from '../database/within-process.ts';
import { type Caller, commandLine, isAdmin } from '../identity/caller.ts';
import { personsOf, type StatedPerson } from '../identity/persons.ts';
import { config } from '../settings/config.ts';

/** The ranks of a user in a room, from the least to the most; administrators need not be members. */
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
  /** Plain members can do it as well, unless `INVITATIONS` leaves it to moderators. */
  isInviting?: true;
};

/**
 * The permissions in a room: the one table from which the checks, the filters of updates and the documented refusals
 * are made.
 */
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
  invite: { least: 'moderator', isInviting: true, notArchived: true, notDirect: true },
  seeOwnInvitations: { least: 'moderator', isInviting: true },
  seeInvitations: { least: 'moderator' },
  addWebhook: { least: 'moderator', notArchived: true, notDirect: true },
  seeWebhooks: { least: 'moderator' },
  add: { least: 'moderator', isInviting: true, notArchived: true, notDirect: true },
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

/** The rule of an action under the present settings. */
function ruleOf(action: Action): Rule {
  const rule: Rule = actions[action];
  return rule.isInviting && config.invitations === 'members' ? { ...rule, least: 'member' } : rule;
}

export const noSuchRoom: Refusal = () => notFound('room');
export const noSuchMember: Refusal = () => notFound('member');
export const roomArchived: Refusal = () => conflict('room_archived', 'The room is archived.');
const roomDirect: Refusal = () => conflict('room_direct', 'The room is a direct conversation.');
const roleRequired: Record<Rule['least'], Refusal> = {
  stranger: noSuchRoom,
  member: () => permissionDenied('membership_required', 'Room membership required.'),
  moderator: () => permissionDenied('moderator_required', 'Room moderator required.'),
  owner: () => permissionDenied('owner_required', 'Room owner required.'),
};

/** The refusals of an action by someone who sees the room, under all settings. */
export const refusalsOf = (action: Action): Refusal[] => {
  const { least, isInviting, notArchived, notDirect }: Rule = actions[action];
  const ofRole = [...(isInviting ? [roleRequired.member] : []), ...(least === 'stranger' ? [] : [roleRequired[least]])];
  return [...ofRole, ...(notArchived ? [roomArchived] : []), ...(notDirect ? [roomDirect] : [])];
};

/** A room as it is at a time of the database. */
export type RoomState = Pick<RoomDocument, StateField> & { now: Date };

/** A room as one caller finds it: everything that decides what the caller may do in it. */
export type RoomContext = RoomState & {
  rank: Rank;
  /** The caller as a member. */
  member: MemberDocument | undefined;
};

/** A room as one caller finds it, with everything that decides to whom the caller may do something. */
export type TargetContext = RoomContext & {
  memberCount: number;
  ownerCount: number;
  /** The member or user that something is to be done to. */
  target: MemberDocument | undefined;
  isTargetBanned: boolean;
  /** What the target is called, where it was looked up by its membership. */
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

/** A room as the database gives it for a context: with those members that were asked for. */
export type ContextRow = RoomState & Pick<RoomDocument, 'members'>;

/**
 * A room as the database gives it for a context with a target: with all owners as well, and with the bans that were
 * asked for.
 */
type TargetRow = ContextRow & Pick<RoomDocument, 'banned'> & { member_count: number; target_persons?: StatedPerson[] };

/** The projection to a `ContextRow` for some users; `path` is where the room stands in an aggregation. */
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

/** Reads the rooms that are asked for at the same time in one query, and makes of each the context of its caller. */
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

/** Reads a room as a caller finds it, with a user as the target, member or not; undefined for an unknown room. */
export const findTargetContext = (room: ObjectId, caller: Caller, user: ObjectId): Promise<TargetContext | undefined> =>
  readTargetContext({ room, caller, user });

/** Reads the room of a member as a caller finds it, with the member as the target; undefined when the member does not exist. */
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

/** Whether a caller is enough in the room for an action. */
export function may({ rank, member }: RoomContext, action: Action): boolean {
  const { least, asMember } = ruleOf(action);
  return ranks.indexOf(asMember ? (member?.role ?? 'stranger') : rank) >= ranks.indexOf(least);
}

/**
 * Requires that the room exists and the caller may see it (404), that the caller is enough in it for an action (403),
 * and that the action can be done in a room of its kind (409).
 */
export function requireRole<Context extends RoomContext>(context: Context | undefined, action: Action): Context {
  const { least, notDirect } = ruleOf(action);
  if (!context || (context.rank === 'stranger' && !context.is_visible)) throw noSuchRoom();
  if (!may(context, action)) throw roleRequired[least]();
  if (notDirect && context.is_direct) throw roomDirect();
  return context;
}

/** Requires what `requireRole` requires, and that the room is not archived if the action asks for that (409). */
export function requirePermission<Context extends RoomContext>(context: Context | undefined, action: Action): Context {
  const required = requireRole(context, action);
  const { notArchived } = ruleOf(action);
  if (notArchived && required.archived_at) throw roomArchived();
  return required;
}

/** Reads a room for someone who wants to read what is in it: 404 or 403 for those who may not. */
export const findReadableRoom = async (room: ObjectId, caller: Caller): Promise<RoomContext> =>
  requirePermission(await findContext(room, caller), 'read');

/** Reads a room for someone who wants to read its messages, which the audit trail has of an administrator who is not a member. */
export async function findRoomToRead(room: ObjectId, caller: Caller): Promise<RoomContext> {
  const context = await findReadableRoom(room, caller);
  await noteReadingAsAdmin(context, caller);
  return context;
}

/** Has the audit trail record what is read as an administrator: not what anybody might join and read, and not what members read. */
export async function noteReadingAsAdmin(context: RoomContext, caller: Caller): Promise<void> {
  const { rank, member, is_open, is_visible } = context;
  if (rank === 'admin' && !member && !(is_open && is_visible) && caller !== commandLine) await noteReading(context, caller);
}

/**
 * Reads something of a room for a caller who may; `check` throws for others. A database within this process does one
 * call after the other, so that the time of a refusal would tell a hidden room from one that does not exist: there,
 * the check comes first. Any other database is asked for both at the same time, which saves a round trip, and a
 * refusal waits for the check alone.
 */
export async function readChecked<Checked, T>(check: () => Promise<Checked>, read: () => Promise<T>): Promise<[Checked, T]> {
  if (!isWithinProcess()) return Promise.all([check(), read()]);
  const checked = await check();
  return [checked, await read()];
}

/** Reads a room for the service itself, which sees to it who gets what it reads there; 404 when it does not exist. */
export async function findRoomState(room: ObjectId): Promise<RoomState> {
  const fields = Object.fromEntries(stateFields.map((name) => [name, 1]));
  const [found] = await rooms.aggregate<RoomState>({ _id: room }, [{ $project: { ...fields, now: '$$NOW' } }]).toArray();
  if (!found) throw noSuchRoom();
  return found;
}

/**
 * Requires that the target is a member of the room, and that the caller is in the room: for everyone else there is no
 * such member (404).
 */
export function requireTarget(context: TargetContext | undefined): TargetContext & { target: MemberDocument } {
  if (!context?.target || context.rank === 'stranger') throw noSuchMember();
  return { ...context, target: context.target };
}

type RoomFilter = Filter<Omit<RoomDocument, '_id'>>;

/** The part of an update's filter that holds the rule of an action: it finds the room only while all these callers may do it. */
export function allowedTo(action: Action, ...callers: Caller[]): RoomFilter {
  const { least, asMember, notArchived, notDirect } = ruleOf(action);
  const [webhooks, people] = [callers.filter(({ isWebhook }) => isWebhook), callers.filter(({ isWebhook }) => !isWebhook)];
  const users = people.filter((caller) => asMember || !isAdmin(caller)).map(({ user }) => user._id);
  const sufficient = roles.slice(least === 'stranger' ? 0 : roles.indexOf(least));
  // Each member has one of the roles.
  const has = (user: ObjectId): RoomFilter =>
    least === 'member' ? { 'members.user': user } : { members: { $elemMatch: { user, role: { $in: sufficient } } } };
  return {
    ...(least !== 'stranger' &&
      users.length + webhooks.length > 0 && { $and: [...distinct(users).map(has), ...webhooks.map(hasWebhook)] }),
    ...(notArchived && { archived_at: null }),
    ...(notDirect && { is_direct: { $ne: true as const } }),
  };
}

const hasWebhook = ({ user }: Caller): RoomFilter => ({ 'webhooks._id': user._id });

/** Whether the target is the room's only owner. */
export const isLastOwner = ({ target, ownerCount }: TargetContext): boolean => target?.role === 'owner' && ownerCount === 1;

/** The part of an update's filter that says that the room has an owner without this member. */
export const keepsAnOwner = (member: ObjectId): RoomFilter => ({
  $or: [
    { members: { $elemMatch: { _id: member, role: { $ne: 'owner' } } } },
    { members: { $elemMatch: { _id: { $ne: member }, role: 'owner' } } },
  ],
});

/** The part that says that a member may leave: the room keeps an owner, or nobody remains who needs one. */
export const mayBeLeftBy = (member: ObjectId): RoomFilter => ({ $or: [keepsAnOwner(member), { members: { $size: 1 } }] });
