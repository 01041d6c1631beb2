import type { Action } from 'chat-service-rules/permissions';
import type { ObjectId, UpdateFilter } from 'mongodb';
import type { Precondition } from '../api/entity-tag.ts';
import { attempt, regardlessOfDeadline } from '../base/deadline.ts';
import { conflict, type Refusal } from '../base/errors.ts';
import type { EventType } from '../collections/rooms/events.ts';
import { type MessageDocument, messages } from '../collections/rooms/messages.ts';
import type { RoomDocument } from '../collections/rooms/rooms.ts';
import { actorId, type Caller } from '../identity/caller.ts';
import { changeRoom } from '../rooms/change.ts';
import { findContext, type RoomContext } from '../rooms/contexts.ts';
import { recordEvent } from '../rooms/event-log.ts';
import { allowedTo, requirePermission } from '../rooms/permissions.ts';
import { type Place, placeOf } from '../rooms/sequence.ts';
import { type AuthoredMessage, findMessage, type Message, showAuthored } from './messages.ts';
import { countReplies } from './replies.ts';

/** A change of a message: its action, its event type and its update. */
export type Change = {
  action: Action;
  type: EventType;
  /** The condition for the change. A deleted message is always excluded. */
  where?: object;
  /** A further condition, which depends on the time of the change. */
  whereAt?: (place: Place) => object;
  /** Other changes to the room, in the update that reserves the place. */
  ofRoom?: UpdateFilter<Omit<RoomDocument, '_id'>>;
  /** The update. It gets the place and, if `withMembers` is set, the users in the room. */
  update: (place: Place, members: ObjectId[]) => UpdateFilter<Omit<MessageDocument, '_id'>>;
  withMembers?: boolean;
  /** Writes data before the change, after the caller's permission was checked. */
  before?: () => Promise<unknown>;
};

/**
 * Decides on a change of the message as it was found. Throws if the change is refused; returns
 * undefined if there is nothing to do.
 */
export type Decide = (message: MessageDocument, room: RoomContext) => Change | undefined;

export const messageDeleted: Refusal = () => conflict('message_deleted', 'The message is deleted.');

/**
 * Changes a message, and decides again if the message has changed in the meantime. Returns the
 * changed message. With a precondition, the message must match it and must not have changed since.
 */
export const changeMessage = (id: ObjectId, caller: Caller, decide: Decide, precondition?: Precondition): Promise<Message> =>
  attempt({ times: 10 }, async () => {
    const { message, room } = await findMessage(id, caller);
    const change = decide(message, room);
    if (!change || precondition) {
      const shown = showAuthored(message, await countReplies(message.room, [message]));
      precondition?.(shown);
      if (!change) return shown;
    }
    const asSeen = precondition && { 'changed.seq': message.changed?.seq ?? null };
    return apply({ ...change, where: { ...change.where, ...asSeen } }, message, caller);
  });

/** Requires that a message is not deleted. */
export function requireNotDeleted({ deleted_at }: MessageDocument): void {
  if (deleted_at) throw messageDeleted();
}

/**
 * Reserves the room's next place, changes the message by one update, then records the event, so
 * that a reader of the event finds the change. The update stores the event in the message. If the
 * process dies before it records the event, the feed that reaches the empty place records it.
 * Returns undefined if there was nothing left to change.
 */
async function apply(change: Change, { _id, room, authors }: AuthoredMessage, caller: Caller): Promise<Message | undefined> {
  const { action, type, where, whereAt, ofRoom, update, withMembers, before } = change;
  const taken = await changeRoom<{ members?: { user: ObjectId }[] }>(
    {
      where: { _id: room, ...allowedTo(action, caller) },
      ...(ofRoom && { update: ofRoom }),
      ...(withMembers && { projection: { 'members.user': 1 } }),
    },
    async () => requirePermission(await findContext(room, caller), action),
  );
  const place = placeOf(taken);
  const { seq, ordinal, at } = place;
  const actor = actorId(caller);
  await before?.();
  const members = (taken.members ?? []).map(({ user }) => user);
  const { $set, ...others } = update(place, members);
  const after = await regardlessOfDeadline(() =>
    messages.findOneAndUpdate(
      { _id, deleted_at: null, ...where, ...whereAt?.(place) },
      { ...others, $set: { ...$set, changed: { seq, ordinal, type, at, actor } } },
      { returnDocument: 'after' },
    ),
  );
  const [replies] = await Promise.all([
    countReplies(room, after ? [after] : []),
    recordEvent(place, actor, after ? type : 'void', { message: _id }),
  ]);
  return after ? showAuthored({ ...after, authors }, replies) : undefined;
}
