import { roles } from 'chat-service-rules/permissions';
import type { ObjectId } from 'mongodb';
import type { Precondition } from '../api/entity-tag.ts';
import { about, flag, integer, oneOf, optional, orNone, textUpTo, type Values } from '../api/parameters.ts';
import { type ShownBy, shownFrom } from '../api/representation.ts';
import { aCount, aFlag, aText, aWord, described, orNull } from '../api/schema.ts';
import { type RoomDocument, rooms } from '../collections/rooms/rooms.ts';
import { actorId, type Caller, requireAdmin } from '../identity/caller.ts';
import { config, fromConfig } from '../settings/config.ts';
import { longestRetention } from '../settings/settings.ts';
import { changeRoom } from './change.ts';
import { findContext, noSuchRoom } from './contexts.ts';
import { counterFields, messageCount } from './counters.ts';
import { recordEvent } from './event-log.ts';
import { allowedTo, findReadableRoom, requirePermission } from './permissions.ts';
import { placeOf } from './sequence.ts';

/**
 * Returns the days until a room's messages are deleted: the lower of the room's and the service's
 * numbers, or null for never.
 */
export function daysKept({ retention_days }: Pick<RoomDocument, 'retention_days'>): number | null {
  const days = [retention_days ?? 0, config.retentionDays].filter((one) => one > 0);
  return days.length > 0 ? Math.min(...days) : null;
}

export type DetailedRoom = Omit<RoomDocument, 'members'> & { member_count: number };

const { as, id, date, dateOrNull, made, representation } = shownFrom<DetailedRoom>();

const mentionAllRole = about(
  'The lowest role that may use `@room` and `@here`, at most once a minute, in rooms of up to 1,000 members.',
  oneOf(...roles),
);

/** The room picture field of other representations. */
export const aRoomPicture = described(
  "The version of the room's picture at `GET /api/rooms/{room}/avatar`, if there is one.",
  aText,
);

/** The details of a room besides its five fields. */
export const shownDetails = representation(
  'RoomDetails',
  {
    room: id('_id', 'The id of the room.'),
    topic: as(described('The topic of the room; may be empty.', aText), 'topic'),
    avatar: as(aRoomPicture, 'avatar'),
    created_at: date('created_at', 'The time of creation.'),
    created_by: id('created_by', 'The user who created the room.'),
    member_count: made(described('The number of members.', aCount), ({ member_count }) => member_count, {
      member_count: { $size: '$members' },
    }),
    message_count: made(described('The number of messages, including deleted ones.', aCount), messageCount, counterFields),
    last_message_at: dateOrNull('last_message_at', 'The time of the last message; null before the first.'),
    archived_at: dateOrNull('archived_at', 'The time of archiving; null if the room is not archived.'),
    is_direct: made(
      described('Whether the room is a direct conversation, which nobody joins or leaves.', aFlag),
      ({ is_direct }) => is_direct === true,
      { is_direct: 1 },
    ),
    is_default: made(described('Whether every new account joins the room.', aFlag), ({ is_default }) => is_default === true, {
      is_default: 1,
    }),
    mention_all_role: made(described(mentionAllRole.about, aWord(...roles)), ({ for_all_role = 'member' }) => for_all_role, {
      for_all_role: 1,
    }),
    retention_days: made(
      described('The days until messages are deleted for good; null if they are kept.', orNull(aCount)),
      daysKept,
      { retention_days: 1 },
    ),
  },
  ['avatar'],
);
export type RoomDetails = ShownBy<typeof shownDetails>;

const retentionDays = fromConfig((config) =>
  about(
    'The days until messages are deleted for good, at most `RETENTION_DAYS`; null for the default.',
    optional(orNone(integer(1, config.retentionDays || longestRetention))),
  ),
);
export const roomTopic = about('The topic of the room; an empty text removes it.', textUpTo(250));

/** The changes that an owner may make to the details of a room. */
export const detailChanges = {
  topic: optional(roomTopic),
  archived: about('Whether the room is archived. An archived room can be read but not changed.', optional(flag)),
  is_default: about('Whether every new account joins the room; only administrators may change it.', optional(flag)),
  is_held: about(
    'Whether messages are kept however old they are, for example for a court; only administrators can see and change it.',
    optional(flag),
  ),
  mention_all_role: optional(mentionAllRole),
  get retention_days() {
    return retentionDays();
  },
};

/** Puts a room on hold, or releases it; 404 for an unknown room. */
export async function holdRoom(room: ObjectId, is_held: boolean): Promise<void> {
  const { matchedCount } = await rooms.updateOne({ _id: room }, { $set: { is_held } });
  if (matchedCount === 0) throw noSuchRoom();
}

/** The details of a room, for its members. */
export async function findDetails(room: ObjectId, caller: Caller): Promise<RoomDetails> {
  await findReadableRoom(room, caller);
  const details = await rooms.findOne<DetailedRoom>({ _id: room }, { projection: shownDetails.reads });
  if (!details) throw noSuchRoom();
  return shownDetails.show(details);
}

type DetailChanges = Partial<Values<typeof detailChanges>>;

/**
 * Changes a room's topic or default membership, archives or unarchives it, or sets a hold. A hold
 * creates no event.
 */
export async function changeDetails(
  room: ObjectId,
  { is_held, ...changes }: DetailChanges,
  caller: Caller,
  precondition?: Precondition,
): Promise<RoomDetails> {
  if (changes.is_default !== undefined || is_held !== undefined) requireAdmin(caller);
  const isMore = Object.values(changes).some((value) => value !== undefined);
  const details = isMore ? await changeShown(room, changes, caller, precondition) : await findDetails(room, caller);
  if (is_held === undefined) return details;
  if (!isMore) precondition?.(details);
  await holdRoom(room, is_held);
  return details;
}

async function changeShown(
  room: ObjectId,
  { topic, archived, is_default, mention_all_role, retention_days }: Omit<DetailChanges, 'is_held'>,
  caller: Caller,
  precondition: Precondition | undefined,
): Promise<RoomDetails> {
  // A room that is archived already keeps its time.
  const archivedAt = archived ? { $ifNull: ['$archived_at', '$$NOW'] } : null;
  const set = {
    ...(topic !== undefined && { topic: { $literal: topic } }),
    ...(archived !== undefined && { archived_at: archivedAt }),
    ...(is_default !== undefined && { is_default }),
    ...(mention_all_role !== undefined && { for_all_role: mention_all_role }),
    ...(retention_days !== undefined && { retention_days }),
  };
  const changed = await changeRoom<DetailedRoom>(
    {
      where: { _id: room, ...allowedTo('change', caller) },
      update: [{ $set: set }],
      projection: shownDetails.reads,
    },
    async () => void requirePermission(await findContext(room, caller), 'change'),
    { precondition, as: shownDetails },
  );
  const isArchivedNow = changed.archived_at?.getTime() === changed.changed_at.getTime();
  await recordEvent(placeOf(changed), actorId(caller), isArchivedNow ? 'room.archived' : 'room.changed');
  return shownDetails.show(changed);
}
