import { type Document, type Filter, ObjectId } from 'mongodb';
import { dateSchema, idSchema, ownId, showDate, showId } from '../api/extended-json.ts';
import { about, dateTime, integer, optional, requireFuture, tokenOf, type Values } from '../api/parameters.ts';
import { aCount, aFlag, aText, aToken, described, orNull, record, type Shown } from '../api/schema.ts';
import { attempt } from '../base/deadline.ts';
import { conflict, notFound, permissionDenied, type Refusal } from '../base/errors.ts';
import { type InvitationDocument, type RoomDocument, rooms } from '../collections/rooms/rooms.ts';
import { whereNone } from '../database/engines.ts';
import { hashToken } from '../identity/authenticate.ts';
import { mayAct } from '../identity/bot-rules.ts';
import type { Caller } from '../identity/caller.ts';
import { findPersons, showPerson } from '../identity/persons.ts';
import { aHint, randomToken } from '../identity/tokens.ts';
import { findContext } from '../rooms/contexts.ts';
import { allowedTo, may, refusalsOf, requirePermission } from '../rooms/permissions.ts';
import { aRoomId } from '../rooms/rooms.ts';
import { config } from '../settings/config.ts';
import { revokeMade } from './made.ts';

/** An invitation as moderators see it. */
export const invitationFields = {
  _id: ownId,
  room: aRoomId,
  hint: aHint,
  created_by: described('The user who created the invitation.', idSchema),
  created_at: described('The time of creation.', dateSchema),
  expires_at: described('The time of expiry; null if it does not expire.', orNull(dateSchema)),
  uses_left: described('The number of remaining uses; null for any number.', orNull(aCount)),
};
export const invitationSchema = record('Invitation', invitationFields);
type Invitation = Shown<typeof invitationSchema>;

/** An invitation as it is shown to its creator, this once. */
export const newInvitationSchema = record('NewInvitation', {
  ...invitationFields,
  code: described('The 32 characters for joining, shown only once.', aToken),
});
export type NewInvitation = Shown<typeof newInvitationSchema>;

/** The room and the inviter that an invitation shows. */
export const shownInvitation = record(
  'InvitationTarget',
  {
    room: aRoomId,
    room_name: described('The name of the room.', aText),
    username: described('The username of the creator of the invitation; `(deleted)` for a deleted user.', aText),
    name: described('Their full name, if set.', aText),
    is_member: described('Whether the caller is a member of the room already.', aFlag),
  },
  ['name'],
);

/**
 * The invitations of a room that can be valid at the same time. Those of plain members count apart,
 * so that they take no place from moderators.
 */
const most = { ofModerators: 50, ofMembers: 100, ofOneMember: 25 };

/** The expiry and the number of uses of an invitation; unlimited if omitted. */
export const invitationParameters = {
  expires_at: about('The time of expiry; without it, the invitation does not expire.', optional(dateTime)),
  uses: about('The number of people who may use the invitation; without it, any number.', optional(integer(1, 10_000))),
};

/** The code of an invitation. */
export const invitationCode = tokenOf('an invitation');

export const noSuchInvitation: Refusal = () => notFound('invitation');
export const invitationRequired: Refusal = () => permissionDenied('invitation_required', 'An invitation is required.');
const tooMany: Refusal = () => conflict('too_many_invitations', 'The room has too many invitations.');
export const inviteRefusals = [...refusalsOf('invite'), tooMany];
export const invitationRefusals = refusalsOf('seeOwnInvitations');

/** Creates an invitation, and forgets those that are over. */
export async function invite(
  room: ObjectId,
  { expires_at: expiresAt, uses }: Values<typeof invitationParameters>,
  caller: Caller,
): Promise<NewInvitation> {
  requireFuture('expires_at', expiresAt);
  const code = randomToken();
  const _id = new ObjectId();
  const created = {
    _id,
    hash: hashToken(code),
    hint: code.slice(-4),
    created_by: caller.user._id,
    created_at: '$$NOW',
    expires_at: expiresAt ?? null,
    uses_left: uses ?? null,
  };
  const stored = await attempt({ times: 10 }, async () => {
    const isModerator = may(requirePermission(await findContext(room, caller), 'invite'), 'seeInvitations');
    const hasPlace = isModerator ? moderatorsHavePlace() : memberHasPlace(caller);
    const isAllowed = [allowedTo('invite', caller), ...(isModerator ? [allowedTo('seeInvitations', caller)] : [])];
    const where = { $and: [{ _id: room }, ...isAllowed, hasPlace] };
    const added = isModerator ? created : { ...created, by_member: true };
    const update = [{ $set: { invitations: { $concatArrays: [validInvitations(), [added]] } } }];
    const found = await rooms.findOneAndUpdate<WithInvitations>(where, update, options);
    if (found) return found.invitations?.find((one) => one._id.equals(_id));
    if (await rooms.findOne({ $and: [{ _id: room }, { $nor: [hasPlace] }] }, { projection: { _id: 1 } })) throw tooMany();
    return undefined;
  });
  return { ...showStoredInvitation(room, stored), code };
}

/**
 * The invitations of a room that can still be used, in the order of their creation: all of them for
 * moderators, their own for members.
 */
export async function listInvitations(room: ObjectId, caller: Caller): Promise<Invitation[]> {
  const seesAll = may(requirePermission(await findContext(room, caller), 'seeOwnInvitations'), 'seeInvitations');
  const [found] = await rooms
    .aggregate<Required<WithInvitations>>({ _id: room }, [{ $project: { invitations: validInvitations() } }])
    .toArray();
  return (found?.invitations ?? [])
    .filter(({ created_by }) => seesAll || created_by.equals(caller.user._id))
    .map((invitation) => showStoredInvitation(room, invitation));
}

/** Revokes an invitation at once: any as a moderator, their own as a member. */
export async function revokeInvitation(room: ObjectId, invitation: ObjectId, caller: Caller): Promise<void> {
  const seesAll = may(requirePermission(await findContext(room, caller), 'seeOwnInvitations'), 'seeInvitations');
  const rule = seesAll ? { action: 'seeInvitations' as const } : { action: 'seeOwnInvitations' as const, by: caller.user._id };
  await revokeMade('invitations', { room, id: invitation, ...rule, noSuch: noSuchInvitation }, caller);
}

/** The part of a filter that finds the room of a valid invitation. */
export const invitedBy = (code: string): RoomFilter => ({
  'invitations.hash': hashToken(code),
  ...whereNone({ $eq: [{ $size: validInvitations(hashToken(code)) }, 0] }),
});

/** The stage of an update that uses an invitation once, or returns a use. */
export const usingInvitation = (code: string, change: 1 | -1 = -1) => ({
  $set: {
    invitations: {
      $map: {
        input: '$invitations',
        as: 'invitation',
        in: {
          $cond: [
            { $eq: ['$$invitation.hash', hashToken(code)] },
            { $mergeObjects: ['$$invitation', { uses_left: { $add: ['$$invitation.uses_left', change] } }] },
            '$$invitation',
          ],
        },
      },
    },
  },
});

/** The room of an invitation that can be used; 404 if not found. */
export async function findInvited(code: string): Promise<ObjectId> {
  const hash = hashToken(code);
  const projection = { invitations: { $elemMatch: { hash } } };
  const found = await rooms.findOne<WithInvitations>(invitedBy(code), { projection });
  const maker = found?.invitations?.[0]?.created_by;
  // The process that deactivated its maker may have died before it removed the invitation.
  if (!found || !maker || !(await mayAct(maker))) throw noSuchInvitation();
  return found._id;
}

/**
 * Shows the room of a valid invitation; 404 if not found. Everyone with the code may see it,
 * because they may join.
 */
export async function showInvitation(code: string, caller: Caller | undefined): Promise<Shown<typeof shownInvitation>> {
  const hash = hashToken(code);
  const user = caller?.user._id;
  const found = await rooms.findOne<InvitingRoom>(invitedBy(code), {
    projection: {
      name: 1,
      invitations: { $elemMatch: { hash } },
      ...(user && { members: { $elemMatch: { user } } }),
    },
  });
  const creator = found?.invitations?.[0]?.created_by;
  if (!found || !creator || !(await mayAct(creator))) throw noSuchInvitation();
  const persons = await findPersons([creator]);
  // Strangers see neither a picture nor a status.
  const { username, name } = showPerson(persons.get(creator.toHexString()));
  return {
    room: showId(found._id),
    room_name: found.name,
    username,
    ...(name !== undefined && { name }),
    is_member: user !== undefined && (found.members?.length ?? 0) > 0,
  };
}

type InvitingRoom = Pick<RoomDocument, '_id' | 'name' | 'invitations'> & { members?: unknown[] };
type RoomFilter = Filter<Omit<RoomDocument, '_id'>>;
type WithInvitations = Pick<RoomDocument, '_id' | 'invitations'>;

const options = { returnDocument: 'after', projection: { invitations: 1 } } as const;

/**
 * The invitations of a room that can still be used, as an expression of the database: all, or the
 * one with this hash.
 */
export const validInvitations = (hash?: string) => validAnd(hash === undefined ? [] : [{ $eq: ['$$invitation.hash', hash] }]);

/**
 * The valid invitations that match more conditions. Those of plain members are not valid while only
 * moderators invite.
 */
const validAnd = (conditions: Document[]) => ({
  $filter: {
    input: { $ifNull: ['$invitations', []] },
    as: 'invitation',
    cond: {
      $and: [
        ...conditions,
        { $ne: ['$$invitation.uses_left', 0] },
        { $or: [{ $eq: ['$$invitation.expires_at', null] }, { $gt: ['$$invitation.expires_at', '$$NOW'] }] },
        ...(config.invitations === 'members' ? [] : [{ $ne: ['$$invitation.by_member', true] }]),
      ],
    },
  },
});

const isFull = (conditions: Document[], most: number) => ({ $gte: [{ $size: validAnd(conditions) }, most] });
const isByMember = { $eq: ['$$invitation.by_member', true] };

const moderatorsHavePlace = (): RoomFilter => whereNone(isFull([{ $ne: ['$$invitation.by_member', true] }], most.ofModerators));

const memberHasPlace = ({ user: { _id } }: Caller): RoomFilter =>
  whereNone(
    isFull([isByMember], most.ofMembers),
    isFull([isByMember, { $eq: ['$$invitation.created_by', _id] }], most.ofOneMember),
  );

export const showStoredInvitation = (
  room: ObjectId,
  { _id, hint, created_by, created_at, expires_at, uses_left }: InvitationDocument,
): Invitation => ({
  _id: showId(_id),
  room: showId(room),
  hint,
  created_by: showId(created_by),
  created_at: showDate(created_at),
  expires_at: expires_at && showDate(expires_at),
  uses_left,
});
