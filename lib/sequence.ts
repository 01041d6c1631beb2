import type { Filter, ObjectId } from 'mongodb';
import { allows, checkRoom, type Rule } from './access.ts';
import { isThere, type RoomDocument, rooms } from './rooms.ts';
import type { Caller } from './tokens.ts';

/** A place in a room's order of changes, and the database's time when it was taken. */
export type Place = {
  room: ObjectId;
  seq: number;
  /** How many messages the room had counted then, this place's included if it is a message's. */
  ordinal: number;
  at: Date;
};

/** The part of an update of a room that takes its next place for an event; one that takes it for a message counts that too. */
export const nextPlace = { $inc: { seq: 1 }, $currentDate: { changed_at: true } } as const;

const nextMessage = { $inc: { seq: 1, message_count: 1 }, $currentDate: { changed_at: true, last_message_at: true } } as const;

/** The fields of the updated room from which `placeOf` reads the place. */
export const placeFields = { seq: 1, message_count: 1, changed_at: 1 } as const;

/** The place that an update with `nextPlace` took. */
export const placeOf = ({ _id, seq, message_count, changed_at }: TakenFrom): Place => ({
  room: _id,
  seq,
  ordinal: message_count,
  at: changed_at ?? new Date(0), // the update has just set it
});

/** Takes a room's next place for an event that is due whatever else is so; null when the room is gone. */
export async function takePlace(room: ObjectId): Promise<Place | null> {
  const taken = await take({ _id: room }, nextPlace, placeFields);
  return taken && placeOf(taken);
}

/**
 * Takes the next place for an event of someone whom the rule must allow it, in the same update; throws what stands in the way.
 * Gives the ids of the members as well, if asked for.
 */
export const takeEventPlace = (room: ObjectId, caller: Caller, rule: Rule, withMembers = false): Promise<Taken> =>
  takeByRule(room, caller, rule, nextPlace, withMembers);

/** Takes the next place for a message, likewise. */
export const takeMessagePlace = (room: ObjectId, caller: Caller, rule: Rule, withMembers = false): Promise<Taken> =>
  takeByRule(room, caller, rule, nextMessage, withMembers);

/** What was taken; no members unless asked for. */
export type Taken = { place: Place; members: ObjectId[] };

async function takeByRule(room: ObjectId, caller: Caller, rule: Rule, update: Update, withMembers: boolean): Promise<Taken> {
  const fields: Fields = withMembers ? { ...placeFields, 'members.user': 1 } : placeFields;
  for (;;) {
    const taken = await take({ ...allows(rule, caller.user._id), _id: room }, update, fields);
    if (taken) return { place: placeOf(taken), members: withMembers ? taken.members.map(({ user }) => user) : [] };
    // When nothing stands in the way any more, it did a moment ago.
    await checkRoom(rule, room, caller);
  }
}

const take = (filter: Filter<RoomDocument>, update: Update, projection: Fields) =>
  rooms.findOneAndUpdate({ ...isThere, ...filter }, update, { returnDocument: 'after', projection });

type Update = typeof nextPlace | typeof nextMessage;
type Fields = Record<string, 1>;
type TakenFrom = Pick<RoomDocument, '_id' | 'seq' | 'message_count' | 'changed_at'>;
