import type { PushPayload } from 'chat-service-rules/push-payload';
import type { ObjectId } from 'mongodb';
import { concurrently } from '../base/concurrently.ts';
import { type PushSubscriptionDocument, pushSubscriptions } from '../collections/delivery/push-subscriptions.ts';
import { type RoomDocument, rooms } from '../collections/rooms/rooms.ts';
import { type SavedDocument, saved } from '../collections/rooms/saved.ts';
import { findCallersOf } from '../identity/authenticate.ts';
import type { Caller } from '../identity/caller.ts';
import { findInOrder, showTogether } from '../messages/messages.ts';
import { findReadable } from '../rooms/conversations.ts';
import { isQuiet, pushedMessage } from './pushed-message.ts';
import { sendPush } from './send.ts';
import { noteOutcome } from './subscriptions.ts';

/*
 * Sends reminders of saved messages to devices. `tell_at` is the time of a reminder, and is removed
 * after all devices were notified. If the process dies before, the next one sends the reminder.
 */

/** The lease of a process on a reminder. */
const leaseMs = 60_000;

/**
 * The most reminders per call, and the number of concurrent ones. The others follow a little later.
 */
const most = 500;
const atOnce = 8;

/** Sends all reminders that are due. */
export async function tellReminders(signal?: AbortSignal): Promise<void> {
  const due = await saved.find({ tell_at: { $lte: new Date() } }, { sort: { tell_at: 1 }, limit: most }).toArray();
  await concurrently(due, atOnce, async ({ _id, tell_at }) => {
    signal?.throwIfAborted();
    await tellReminder(_id, tell_at as Date);
  });
}

/** Sends a reminder, unless another process has claimed it. */
async function tellReminder(_id: SavedDocument['_id'], due: Date): Promise<void> {
  const taken = new Date(Date.now() + leaseMs);
  const { matchedCount } = await saved.updateOne({ _id, tell_at: due }, { $set: { tell_at: taken } });
  if (matchedCount === 0) return;
  const devices = await pushSubscriptions.find({ user: _id.user }).toArray();
  await remind(devices, _id.message);
  // The user may have set another time meanwhile.
  await saved.updateOne({ _id, tell_at: taken }, { $unset: { tell_at: '' } });
}

/** Sends a reminder again to a device that could not be reached before, if it is still valid. */
export async function remindDevice(_id: ObjectId, message: ObjectId): Promise<void> {
  const device = await pushSubscriptions.findOne({ _id });
  if (!device) return;
  const wanted = { _id: { user: device.user, message }, remind_at: { $lte: new Date() } };
  if (await saved.findOne(wanted, { projection: { _id: 1 } })) await remind([device], message);
}

/** Sends a reminder of a message to a user's devices, if the user may still read it. */
async function remind(devices: PushSubscriptionDocument[], id: ObjectId): Promise<void> {
  const callers = await findCallersOf(devices.map(({ _id }) => _id));
  const { told = [], ended = [] } = Object.groupBy(devices, ({ _id }) => (callers.has(_id.toHexString()) ? 'told' : 'ended'));
  if (ended.length > 0) await pushSubscriptions.deleteMany({ _id: { $in: ended.map(({ _id }) => _id) } });
  const [some] = callers.values();
  const payload = some && (await payloadOf(id, some.caller));
  if (!payload) return;
  await Promise.all(told.map(async (device) => noteOutcome(device, await sendPush(device, payload), { 'retry.reminders': id })));
}

/** The contents of a reminder for a user; undefined if there is nothing to send. */
async function payloadOf(id: ObjectId, caller: Caller): Promise<PushPayload | undefined> {
  const [found] = await findInOrder([id]);
  if (!found || found.deleted_at || isQuiet(caller) || (await findReadable([found.room], caller)).size === 0) return undefined;
  const room = await rooms.findOne<Pick<RoomDocument, 'name' | 'is_direct'>>(
    { _id: found.room },
    { projection: { name: 1, is_direct: 1 } },
  );
  const [message] = await showTogether([found]);
  return room && message ? { type: 'reminder', ...pushedMessage(room, message, caller) } : undefined;
}
