import type { ObjectId } from 'mongodb';
import type { Listed, Page } from '../api/pages.ts';
import { type ShownBy, shownFrom } from '../api/representation.ts';
import { described } from '../api/schema.ts';
import { saved } from '../collections/saved.ts';
import { conflict, type Refusal } from '../errors.ts';
import type { Caller } from '../identity/caller.ts';
import { comingAfter, type Moment, readAcross, writeMoment } from './across-rooms.ts';
import { messageDeleted, requireNotDeleted } from './change.ts';
import { findInOrder, findMessage, type Message, noSuchMessage, shownMessage, showTogether } from './messages.ts';

/** How many messages an account can have saved: they are one person's notes. */
export const mostSaved = 10_000;

const tooManySaved: Refusal = () =>
  conflict('too_many_saved', 'The list of saved messages is full: remove some of them to save others.');
export const saveRefusals = [noSuchMessage, messageDeleted, tooManySaved];
export const unsaveRefusals = [noSuchMessage];

const { date, made, representation } = shownFrom<{ message: Message; saved_at: Date }>();

/** A saved message as the API shows it. */
export const shownSaved = representation('SavedMessage', {
  message: made(described('The message as it is now.', shownMessage.schema), ({ message }) => message),
  saved_at: date('saved_at', 'The time of saving.'),
});
export type SavedMessage = ShownBy<typeof shownSaved>;

/**
 * Saves a message that the caller may read; a saved one keeps its time. Nobody else learns of it. Concurrent requests
 * may save a few more than there is room for, which harms nothing.
 */
export async function saveMessage(id: ObjectId, caller: Caller): Promise<SavedMessage> {
  const { message } = await findMessage(id, caller);
  requireNotDeleted(message);
  const user = caller.user._id;
  const _id = { user, message: id };
  const known = await saved.findOne({ _id });
  if (!known && (await saved.countDocuments({ '_id.user': user }, { limit: mostSaved })) >= mostSaved) throw tooManySaved();
  const time = { $set: { room: message.room, saved_at: { $ifNull: ['$saved_at', '$$NOW'] } } };
  const stored = known ?? (await saved.findOneAndUpdate({ _id }, [time], { upsert: true, returnDocument: 'after' }));
  if (!stored) throw new Error('An upsert returned no document');
  const [shown] = await showTogether([message]);
  return shownSaved.show({ message: shown as Message, saved_at: stored.saved_at });
}

/** Removes a message from those that the caller has saved, also one that the caller may no longer read. */
export async function unsaveMessage(id: ObjectId, caller: Caller): Promise<void> {
  const { deletedCount } = await saved.deleteOne({ _id: { user: caller.user._id, message: id } });
  // Of a message that was not saved, strangers learn nothing.
  if (deletedCount === 0) await findMessage(id, caller);
}

/** A page of the messages that the caller has saved and may still read, those that were saved last first. */
export async function listSaved({ limit, after }: Page<Moment>, caller: Caller): Promise<Listed<SavedMessage>> {
  const find = async (last: Moment | undefined, count: number) => {
    const found = await saved
      .find(
        { '_id.user': caller.user._id, ...(last && comingAfter('saved_at', '_id.message', last)) },
        { sort: { saved_at: -1, '_id.message': -1 }, limit: count, batchSize: count + 1 },
      )
      .toArray();
    const messages = await findInOrder(found.map(({ _id }) => _id.message));
    const byId = new Map(messages.map((message) => [message._id.toHexString(), message]));
    return found.map(({ _id: { message: id }, saved_at: at }) => ({ place: { at, id }, message: byId.get(id.toHexString()) }));
  };
  const { shown, next } = await readAcross(find, after, limit, caller);
  return {
    items: shown.map(({ place, message }) => shownSaved.show({ message, saved_at: place.at })),
    next: next && writeMoment(next),
  };
}

/** Forgets what an account has saved. */
export const forgetSaved = async (user: ObjectId): Promise<void> => void (await saved.deleteMany({ '_id.user': user }));
