import type { ObjectId } from 'mongodb';
import { dateSchema, showDate } from '../api/extended-json.ts';
import type { ListPage, Page } from '../api/pages.ts';
import { about, dateTime, oneOf, optional, orNone, requireFuture, type Values } from '../api/parameters.ts';
import { type ShownBy, shownFrom } from '../api/representation.ts';
import { described, orNull } from '../api/schema.ts';
import { conflict, type Refusal } from '../base/errors.ts';
import { type SavedDocument, saved } from '../collections/rooms/saved.ts';
import type { Caller } from '../identity/caller.ts';
import { notify } from '../notices/notices.ts';
import { messageDeleted, requireNotDeleted } from './change.ts';
import { findInOrder, findMessage, type Message, noSuchMessage, shownMessage, showTogether } from './messages.ts';
import { comingAfter, type Moment, readAcross, writeMoment } from './search/across-rooms.ts';

/** The most saved messages of an account. */
export const mostSaved = 10_000;

const tooManySaved: Refusal = () =>
  conflict('too_many_saved', 'The list of saved messages is full: remove some of them to save others.');
export const saveRefusals = [noSuchMessage, messageDeleted, tooManySaved];
export const unsaveRefusals = [noSuchMessage];

/** The options of a saved message. */
export const saveParameters = {
  remind_at: about(
    'The time of the reminder, on all devices. Null removes it, and omitting it changes nothing.',
    optional(orNone(dateTime)),
  ),
};

/** The query parameters of a list of saved messages. */
export const savedParameters = {
  reminders: about('Return only messages with a `remind_at`, the earliest first.', optional(oneOf('true'))),
};

const { date, made, representation } = shownFrom<{ message: Message; saved_at: Date; remind_at?: Date | undefined }>();

/** A saved message as the API shows it. */
export const shownSaved = representation('SavedMessage', {
  message: made(described('The message as it is now.', shownMessage.schema), ({ message }) => message),
  saved_at: date('saved_at', 'The time of saving.'),
  remind_at: made(
    described('The time of the reminder, also if it is due and not done; null without one.', orNull(dateSchema)),
    ({ remind_at }) => (remind_at ? showDate(remind_at) : null),
  ),
});
export type SavedMessage = ShownBy<typeof shownSaved>;

/**
 * Saves a message that the caller may read. If it was saved before, it keeps its time. Only the
 * caller's other devices are notified. Concurrent requests may exceed the limit slightly, which is
 * harmless.
 */
export async function saveMessage(
  id: ObjectId,
  { remind_at }: Values<typeof saveParameters>,
  caller: Caller,
): Promise<SavedMessage> {
  requireFuture('remind_at', remind_at);
  const { message } = await findMessage(id, caller);
  requireNotDeleted(message);
  const user = caller.user._id;
  const _id = { user, message: id };
  const known = await saved.findOne({ _id });
  if (!known && (await saved.countDocuments({ '_id.user': user }, { limit: mostSaved })) >= mostSaved) throw tooManySaved();
  const isChanged = !known || remind_at !== undefined;
  const stored = isChanged ? await store(_id, message.room, remind_at) : known;
  if (isChanged) tellDevices(_id, true);
  const [shown] = await showTogether([message]);
  return shownSaved.show({ message: shown as Message, saved_at: stored.saved_at, remind_at: stored.remind_at });
}

async function store(_id: SavedDocument['_id'], room: ObjectId, remindAt: Date | null | undefined): Promise<SavedDocument> {
  const reminder = remindAt ? { remind_at: remindAt, tell_at: remindAt } : {};
  const fields = { room, saved_at: { $ifNull: ['$saved_at', '$$NOW'] }, ...reminder };
  const stored = await saved.findOneAndUpdate({ _id }, [{ $set: fields }], { upsert: true, returnDocument: 'after' });
  if (!stored) throw new Error('An upsert returned no document');
  if (remindAt !== null || !stored.remind_at) return stored;
  const without = { $unset: { remind_at: '', tell_at: '' } } as const;
  return (await saved.findOneAndUpdate({ _id }, without, { returnDocument: 'after' })) ?? stored;
}

/**
 * Removes a message from the caller's saved messages. The caller need not have access to it any
 * longer.
 */
export async function unsaveMessage(id: ObjectId, caller: Caller): Promise<void> {
  const { deletedCount } = await saved.deleteOne({ _id: { user: caller.user._id, message: id } });
  // If the message was not saved, the answer must not reveal that it exists.
  if (deletedCount === 0) await findMessage(id, caller);
  else tellDevices({ user: caller.user._id, message: id }, false);
}

const tellDevices = ({ user, message }: SavedDocument['_id'], is_saved: boolean): void =>
  notify({ type: 'saved', user: user.toHexString(), message: message.toHexString(), is_saved });

type SavedPage = Page<Moment> & Values<typeof savedParameters>;

/**
 * A page of the caller's saved messages that the caller may still read, the last saved first. With
 * `reminders`, it lists only messages with a reminder, the earliest first.
 */
export async function listSaved({ limit, after, reminders }: SavedPage, caller: Caller): Promise<ListPage<SavedMessage>> {
  const time = reminders ? 'remind_at' : 'saved_at';
  const direction = reminders ? 1 : -1;
  const beginning = reminders ? { remind_at: { $gt: new Date(0) } } : {};
  const find = async (last: Moment | undefined, count: number) => {
    const found = await saved
      .find(
        { '_id.user': caller.user._id, ...(last ? comingAfter(time, '_id.message', last, direction === 1) : beginning) },
        { sort: { [time]: direction, '_id.message': direction }, limit: count, batchSize: count + 1 },
      )
      .toArray();
    const messages = await findInOrder(found.map(({ _id }) => _id.message));
    const byId = new Map(messages.map((message) => [message._id.toHexString(), message]));
    return found.map(({ _id: { message: id }, ...times }) => ({
      place: { at: times[time] as Date, id, ...times },
      message: byId.get(id.toHexString()),
    }));
  };
  const { shown, next } = await readAcross<Moment & Partial<SavedDocument>>(find, after, limit, caller);
  return {
    items: shown.map(({ place: { saved_at, remind_at }, message }) =>
      shownSaved.show({ message, saved_at: saved_at as Date, remind_at }),
    ),
    next: next && writeMoment(next),
  };
}

/** Deletes the saved messages of an account. */
export const forgetSaved = async (user: ObjectId): Promise<void> => void (await saved.deleteMany({ '_id.user': user }));
