import type { ObjectId } from 'mongodb';
import { botSenders } from './bot-senders.ts';
import { roomSenders } from './room-senders.ts';
import type { Sender, SenderKind, SenderPlace } from './sender.ts';

/*
 * The senders of a room's events: the room's webhooks, and those of bots in the room, which may
 * want only messages to the bot.
 */

const kinds: readonly SenderKind[] = [roomSenders, botSenders];

/** The webhooks that send the events of a room. */
export const findSenders = async (room: ObjectId): Promise<Sender[]> =>
  (await Promise.all(kinds.map(({ find }) => find(room)))).flat();

/** All outgoing webhooks, each in each of its rooms. */
export async function* placesOfSenders(): AsyncGenerator<SenderPlace> {
  for (const { listPlaces } of kinds) yield* listPlaces();
}
