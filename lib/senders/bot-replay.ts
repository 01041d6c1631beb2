import type { ObjectId } from 'mongodb';
import type { Values } from '../api/parameters.ts';
import { invalidParameter } from '../base/errors.ts';
import { type botWebhookChanges, changeBotWebhook, requireBotWebhook } from '../bots/bot-webhooks.ts';
import { webhookStates } from '../collections/delivery/webhook-states.ts';
import { rooms } from '../collections/rooms/rooms.ts';
import type { Caller } from '../identity/caller.ts';
import { freshState, storeState } from '../members/outgoing-webhooks.ts';
import { notify } from '../notices/notices.ts';
import { noSuchRoom } from '../rooms/contexts.ts';
import { findBotSender } from './bot-senders.ts';
import type { Sender } from './sender.ts';

/**
 * Changes the webhook of a bot, for the bot's owner and administrators, or rewinds it to a place of
 * a room.
 */
export async function changeOrReplay(bot: ObjectId, { room, seq, ...changes }: Values<typeof botWebhookChanges>, caller: Caller) {
  if (room === undefined && seq === undefined) return changeBotWebhook(bot, changes, caller);
  if (room === undefined) throw invalidParameter('seq', "be left out without 'room'");
  if (seq === undefined) throw invalidParameter('room', "be left out without 'seq'");
  // If rewinding failed, the secret would be replaced and never shown.
  if (changes.new_secret) throw invalidParameter('new_secret', "be left out with 'room'");
  await requireBotWebhook(bot, caller);
  const sender = await findBotSender(bot, room);
  const found = await rooms.findOne<{ seq: number }>({ _id: room }, { projection: { seq: 1 } });
  if (!sender || !found) throw noSuchRoom();
  if (seq > found.seq) throw invalidParameter('seq', 'not be after the last place of the room');
  const changed = await changeBotWebhook(bot, changes, caller);
  await goBack(sender, bot, seq);
  notify({ type: 'moved', room: room.toHexString(), seq: found.seq });
  return changed;
}

/**
 * Rewinds to a place, but not before the first place whose events are sent. A process that is
 * delivering stops.
 */
async function goBack({ _id, room, findStart }: Sender, bot: ObjectId, after: number): Promise<void> {
  const seq = Math.max(after, await findStart());
  await storeState({ _id, room, bot, seq });
  await webhookStates.updateOne({ _id }, { $set: { ...freshState, seq, retry_at: new Date() } });
}
