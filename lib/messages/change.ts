import type { ObjectId, UpdateFilter } from 'mongodb';
import { conflict } from '../errors.ts';
import type { Caller } from '../identity/tokens.ts';
import type { RoomState, Rule } from '../rooms/access.ts';
import { type EventType, recordEvent } from '../rooms/event-log.ts';
import { type Place, takeEventPlace } from '../rooms/sequence.ts';
import {
  type AuthoredMessage,
  countReplies,
  findMessage,
  type Message,
  type MessageDocument,
  messages,
  repliedTo,
  showAuthored,
} from './messages.ts';

/** A change of a message: who may make it in the room, what it is to its readers, and the update that makes it. */
export type Change = {
  rule: Rule;
  type: EventType;
  /** What must be so for it to be a change; that the message is not deleted must always be so. */
  where?: object;
  update: (place: Place, members: ObjectId[]) => UpdateFilter<Omit<MessageDocument, '_id'>>;
  withMembers?: boolean;
};

/** Decides on a message as it was found: throws what stands in the way of a change, or gives the change, or none if there is nothing to do. */
export type Decide = (message: MessageDocument, room: RoomState) => Change | undefined;

/** Changes a message as decided; decides again when it has become another meanwhile. Returns it as it is then. */
export async function changeMessage(id: ObjectId, caller: Caller, decide: Decide): Promise<Message> {
  for (;;) {
    const { message, room } = await findMessage(id, caller);
    const change = decide(message, room);
    if (!change) return showAuthored(message, await countReplies(message.room, repliedTo(message)));
    const changed = await apply(change, message, caller);
    if (changed) return changed;
  }
}

/** Throws what stands in the way of changing a deleted message. */
export function requireLiving({ deleted_at }: MessageDocument): void {
  if (deleted_at) throw conflict('The message is deleted.');
}

/**
 * Takes the room's next `seq` by the rule, changes the message by one update, and then records the event, so that whoever
 * reads the event can read the change. The update leaves a note of its event on the message: should the function die before
 * it has recorded it, the feed that comes to the empty place does. Undefined when there was nothing to change any more.
 */
async function apply(change: Change, message: AuthoredMessage, caller: Caller): Promise<Message | undefined> {
  const { _id, room, authors } = message;
  const { place, members } = await takeEventPlace(room, caller, change.rule, change.withMembers);
  const changed = { seq: place.seq, ordinal: place.ordinal, type: change.type, at: place.at, actor: caller.user._id };
  const { $set, ...others } = change.update(place, members);
  const after = await messages.findOneAndUpdate(
    { _id, deleted_at: null, ...change.where },
    { ...others, $set: { ...$set, changed } },
    { returnDocument: 'after' },
  );
  const [replies] = await Promise.all([
    after ? countReplies(room, repliedTo(after)) : new Map<string, number>(),
    recordEvent({ ...changed, room, data: { message: _id }, ...(!after && { type: 'void' }) }),
  ]);
  return after ? showAuthored({ ...after, authors }, replies) : undefined;
}
