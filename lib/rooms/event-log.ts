import { ObjectId } from 'mongodb';
import { attempt, regardlessOfDeadline } from '../base/deadline.ts';
import { type EventDocument, type EventType, events } from '../collections/rooms/events.ts';
import { insertUnlessStored } from '../database/writes.ts';
import { foresee, notify } from '../notices/notices.ts';
import { type Place, placeOf, takePlace } from './sequence.ts';

/**
 * Records a change at the place that its update has reserved. A feed may have closed that place, if
 * the function was suspended for longer than feeds wait. Then the change is recorded at the room's
 * next place. Readers that are past the first place would miss it there.
 */
export async function recordEvent(
  place: Place,
  actor: ObjectId | null,
  type: EventType,
  data: Record<string, unknown> = {},
): Promise<void> {
  let event: EventDocument = { _id: new ObjectId(), ...place, type, actor, data };
  let isWanted = foresee();
  await regardlessOfDeadline(() =>
    attempt({ times: 10 }, async () => {
      if (await insertEvent(event)) return true;
      if (type === 'void' || (await isRecorded(event))) return true;
      const next = await takePlace({ where: { _id: event.room } });
      if (!next) return true; // The room was deleted with its feed.
      event = { ...event, ...placeOf(next) };
      isWanted = foresee();
      return undefined;
    }),
  );
  if (type !== 'void')
    notify({ type: 'moved', room: event.room.toHexString(), seq: event.seq, ...comingOrGoing(event) }, isWanted);
}

function comingOrGoing({ type, data: { user } }: EventDocument) {
  if (!(user instanceof ObjectId)) return {};
  if (type === 'member.joined') return { joined: [user.toHexString()] };
  return isRemoval(type) ? { left: [user.toHexString()] } : {};
}

const isRemoval = (type: EventType) => type === 'member.left' || type === 'member.kicked' || type === 'member.banned';

/** Inserts an event. Returns false if its `seq` is taken. */
export const insertEvent = (event: Omit<EventDocument, '_id'>): Promise<boolean> => insertUnlessStored(events, event);

// The driver may have inserted it, when it repeated the insert after a connection failure. A feed
// may have, when it found the change without its event.
const isRecorded = async ({ room, seq, type }: EventDocument) =>
  (await events.findOne({ room, seq }, { projection: { type: 1 } }))?.type === type;
