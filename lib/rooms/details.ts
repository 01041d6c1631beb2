import type { ObjectId } from 'mongodb';
import { type DateTime, dateSchema, showDate } from '../api/dates.ts';
import { type Id, idSchema, showId } from '../api/extended-json.ts';
import { textUpTo } from '../api/parameters.ts';
import { aCount, aText, orNull, record } from '../api/schema.ts';
import { notFound } from '../errors.ts';
import { changeRoom, recordChange } from './change.ts';
import { counterFields, messageCount } from './counters.ts';
import { type Actor, findStanding, holds, requireRank } from './permissions.ts';
import { isThere, type RoomDocument, rooms } from './rooms.ts';

/** What there is to know of a room beside the five fields. */
export type RoomDetails = {
  room: Id;
  topic: string;
  created_at: DateTime;
  created_by: Id;
  member_count: number;
  message_count: number;
  last_message_at: DateTime | null;
  archived_at: DateTime | null;
};

export const detailsSchema = record<RoomDetails>('RoomDetails', {
  room: idSchema,
  topic: aText,
  created_at: dateSchema,
  created_by: idSchema,
  member_count: aCount,
  message_count: aCount,
  last_message_at: orNull(dateSchema),
  archived_at: orNull(dateSchema),
});

/** What a room is about. */
export const topic = textUpTo(250);

/** The details of a room, for its members. */
export async function findDetails(room: ObjectId, caller: Actor): Promise<RoomDetails> {
  const [standing, details] = await Promise.all([findStanding(caller, { room }), readDetails(room)]);
  requireRank(standing, 'member');
  if (!details) throw notFound('room');
  return details;
}

/** Changes a room's topic, or archives it or takes it back into use; the actor is null for the command line. */
export async function changeDetails(
  room: ObjectId,
  change: { topic?: string | undefined; archived?: boolean | undefined },
  actor: Actor | null,
): Promise<RoomDetails> {
  // What is archived already keeps its time.
  const archived_at = change.archived ? { $ifNull: ['$archived_at', '$$NOW'] } : null;
  const changed = await changeRoom<DetailFields>(
    {
      where: { _id: room, ...(actor && holds(actor, 'owner')) },
      update: [
        {
          $set: {
            ...(change.topic !== undefined && { topic: { $literal: change.topic } }),
            ...(change.archived !== undefined && { archived_at }),
          },
        },
      ],
      projection: detailFields,
    },
    async () => {
      if (!actor) throw notFound('room');
      requireRank(await findStanding(actor, { room }), 'owner');
    },
  );
  const isArchivedNow = changed.archived_at?.getTime() === changed.changed_at.getTime();
  await recordChange(changed, actor?._id ?? null, isArchivedNow ? 'room.archived' : 'room.changed');
  return showDetails(changed);
}

type DetailFields = Pick<
  RoomDocument,
  '_id' | 'topic' | 'created_at' | 'created_by' | 'message_count' | 'lost' | 'lost_count' | 'last_message_at' | 'archived_at'
> & { member_count: number };

const detailFields = {
  topic: 1,
  created_at: 1,
  created_by: 1,
  member_count: { $size: '$members' },
  ...counterFields,
  last_message_at: 1,
  archived_at: 1,
};

async function readDetails(room: ObjectId): Promise<RoomDetails | undefined> {
  const found = await rooms.findOne<DetailFields>({ ...isThere, _id: room }, { projection: detailFields });
  return found ? showDetails(found) : undefined;
}

const showDetails = (room: DetailFields): RoomDetails => ({
  room: showId(room._id),
  topic: room.topic,
  created_at: showDate(room.created_at),
  created_by: showId(room.created_by),
  member_count: room.member_count,
  message_count: messageCount(room),
  last_message_at: room.last_message_at && showDate(room.last_message_at),
  archived_at: room.archived_at && showDate(room.archived_at),
});
