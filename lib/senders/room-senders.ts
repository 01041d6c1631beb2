import type { ObjectId } from 'mongodb';
import { type OutgoingWebhook, type RoomDocument, rooms } from '../collections/rooms/rooms.ts';
import { mayAct } from '../identity/bot-rules.ts';
import { outgoingOf } from '../members/outgoing-webhooks.ts';
import { callerOfWebhook } from '../members/webhooks.ts';
import { sayOff } from './say.ts';
import { mostDeliveries, type Sender, type SenderKind } from './sender.ts';

/** The outgoing webhooks of rooms, whose attempts are kept in their delivery states. */
export const roomSenders: SenderKind = { find: findRoomSenders, listPlaces };

async function findRoomSenders(room: ObjectId): Promise<Sender[]> {
  const found = await rooms.findOne<Pick<RoomDocument, 'webhooks'>>({ _id: room }, { projection: { webhooks: 1 } });
  return outgoingOf(found?.webhooks).map((webhook) => roomSender(room, webhook));
}

type RoomWebhook = { _id: ObjectId; outgoing: OutgoingWebhook; created_by: ObjectId };

function roomSender(room: ObjectId, { _id, outgoing, created_by }: RoomWebhook): Sender {
  const sender: Sender = {
    _id,
    room,
    to: outgoing,
    payer: created_by.toHexString(),
    speaker: _id,
    findCaller: () => callerOfWebhook(_id),
    findStart: async () => outgoing.since,
    isWanted: ({ type, actor }) => outgoing.events.includes(type) && actor?.$oid !== _id.toHexString(),
    isCurrent: async () => true,
    isThere: async () => {
      const where = { _id: room, 'webhooks._id': _id };
      const [found, isValid] = await Promise.all([rooms.findOne(where, { projection: { _id: 1 } }), mayAct(created_by)]);
      return found !== null && isValid;
    },
    withAttempt: (change, delivery, isOver) => ({
      ...change,
      $set: { ...change.$set, ...(isOver && { disabled_at: delivery.at }) },
      $push: { deliveries: { $each: [delivery], $slice: -mostDeliveries } },
    }),
    recordAttempt: async (delivery, isOver) => {
      if (isOver) await sayOff(sender, delivery);
    },
  };
  return sender;
}

async function* listPlaces(): ReturnType<SenderKind['listPlaces']> {
  const projection = { seq: 1, 'webhooks._id': 1, 'webhooks.outgoing': 1 };
  const hasOne = { 'webhooks.outgoing.url': { $gt: '' } };
  for await (const { _id: room, seq, webhooks } of rooms.find<Pick<RoomDocument, '_id' | 'seq' | 'webhooks'>>(hasOne, {
    projection,
  }))
    for (const { _id, outgoing } of outgoingOf(webhooks)) yield { _id, room, seq, since: outgoing.since, isOn: true };
}
