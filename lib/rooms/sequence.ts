import type { Filter, ObjectId, UpdateFilter } from 'mongodb';
import { distinct } from '../api/extended-json.ts';
import { fulfilled } from '../database/batching.ts';
import type { Caller } from '../identity/tokens.ts';
import { allows, members as anyMember, checkRoom, type Rule } from './access.ts';
import { isThere, type RoomDocument, rooms } from './rooms.ts';

/** A place in a room's order of changes, and the database's time when it was taken. */
export type Place = {
  room: ObjectId;
  seq: number;
  /** How many messages the room had counted then, this place's included if it is a message's. */
  ordinal: number;
  at: Date;
};

/** The part of an update of a room that takes its next place for an event. */
export const nextPlace = { $inc: { seq: 1 }, $currentDate: { changed_at: true } } as const;

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

/** What was taken; no members unless asked for. */
export type Taken = { place: Place; members: ObjectId[] };

/**
 * Takes the next place for an event of someone whom the rule must allow it, in the same update; throws what stands in the way.
 * Gives the ids of the members as well, if asked for.
 */
export async function takeEventPlace(room: ObjectId, caller: Caller, rule: Rule, withMembers = false): Promise<Taken> {
  for (;;) {
    const filter = { ...allows(rule, [caller.user._id]), _id: room };
    const taken = await take(filter, nextPlace, fieldsFor(withMembers));
    if (taken) return { place: placeOf(taken), members: membersOf(taken) };
    // When nothing stands in the way any more, it did a moment ago.
    await checkRoom(rule, room, caller);
  }
}

/** Who wants to send a message, and whether the ids of the members are asked for. */
export type Sender = { room: ObjectId; caller: Caller; withMembers: boolean };

/** Takes places for messages of members of one room, likewise: all in one update, unless one of them may not send. */
export async function takeMessagePlaces(senders: Sender[]): Promise<PromiseSettledResult<Taken>[]> {
  const taken = await takeInARow(senders);
  return taken ? taken.map(fulfilled) : Promise.allSettled(senders.map(takeMessagePlace));
}

async function takeMessagePlace(sender: Sender): Promise<Taken> {
  for (;;) {
    // When nothing stands in the way any more, it did a moment ago.
    await checkRoom(anyMember, sender.room, sender.caller);
    const [taken] = (await takeInARow([sender])) ?? [];
    if (taken) return taken;
  }
}

async function takeInARow(senders: Sender[]): Promise<Taken[] | undefined> {
  const [{ room }] = senders as [Sender];
  const filter = { ...allows(anyMember, distinct(senders.map(({ caller }) => caller.user._id))), _id: room };
  const taken = await take(filter, nextMessages(senders.length), fieldsFor(senders.some(({ withMembers }) => withMembers)));
  if (!taken) return undefined;
  const last = placeOf(taken);
  return senders.map(({ withMembers }, index) => {
    const behind = senders.length - 1 - index;
    const place = { ...last, seq: last.seq - behind, ordinal: last.ordinal - behind };
    return { place, members: withMembers ? membersOf(taken) : [] };
  });
}

const nextMessages = (count: number) => ({
  $inc: { seq: count, message_count: count },
  $currentDate: { changed_at: true as const, last_message_at: true as const },
});

const take = (filter: Filter<RoomDocument>, update: UpdateFilter<RoomDocument>, projection: Record<string, 1>) =>
  rooms.findOneAndUpdate({ ...isThere, ...filter }, update, { returnDocument: 'after', projection });

const fieldsFor = (withMembers: boolean) => (withMembers ? { ...placeFields, 'members.user': 1 as const } : placeFields);

const membersOf = ({ members = [] }: { members?: { user: ObjectId }[] }) => members.map(({ user }) => user);

type TakenFrom = Pick<RoomDocument, '_id' | 'seq' | 'message_count' | 'changed_at'>;
