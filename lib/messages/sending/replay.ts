import type { ObjectId } from 'mongodb';
import {
  type CreationResult,
  type IdempotencyFields,
  type IdempotencyKey,
  idempotencyKeyOf,
  requireSameRequest,
} from '../../api/idempotency.ts';
import { type MessageDocument, messages } from '../../collections/rooms/messages.ts';
import type { Caller } from '../../identity/caller.ts';
import { findReadableRoom } from '../../rooms/permissions.ts';
import { hashedContent, type SentContent } from '../content.ts';
import { type Message, showMessage } from '../messages.ts';
import { countReplies } from '../replies.ts';

/* A request that is repeated with the same idempotency key gets the message of the first one. */

/**
 * The parts of a request that its key identifies. A reply names its message (`thread`), and whether
 * it is also shown in the room.
 */
export type KeyedRequest = SentContent & {
  room: ObjectId;
  text: string;
  files: ObjectId[];
  thread?: ObjectId | undefined;
  is_in_room?: boolean | undefined;
  /** True if the text is the beginning of one that streams. */
  isStreaming?: boolean | undefined;
};

/** The idempotency key of a request to send a message, if it has one. */
export function keyOfMessage(
  headers: Record<string, string | undefined>,
  { room, text, thread, is_in_room, files, isStreaming, ...content }: KeyedRequest,
): IdempotencyKey | undefined {
  // Absent fields of later versions do not count: a key of an earlier one finds its message.
  const later = [
    ...(is_in_room === undefined ? [] : [is_in_room]),
    ...(files.length > 0 ? [files] : []),
    ...hashedContent(content),
    ...(isStreaming ? ['streaming'] : []),
  ];
  return idempotencyKeyOf(headers, room, text, thread ?? null, ...later);
}

/** The message that a request with this key has stored, if there is one. */
export const findSent = ({ user }: Caller, { idempotency_key }: IdempotencyKey) =>
  messages.findOne({ user: user._id, idempotency_key });

/**
 * The first message with this key, as it is now. A caller who may no longer read it is refused like
 * for any other message.
 */
export async function replay(
  first: MessageDocument & Partial<IdempotencyFields>,
  key: IdempotencyKey,
  caller: Caller,
): Promise<CreationResult<Message>> {
  if (caller.isWebhook) return replayAsSent(first, key, caller);
  await findReadableRoom(first.room, caller);
  requireSameRequest(first, key);
  const replies = await countReplies(first.room, [first]);
  return { value: showMessage(first, caller.user, replies.get(first._id.toHexString()) ?? 0), isReplay: true };
}

/**
 * The message that a webhook sent first, as it was then: it may post, and not read what became of
 * that.
 */
function replayAsSent(
  first: MessageDocument & Partial<IdempotencyFields>,
  key: IdempotencyKey,
  caller: Caller,
): CreationResult<Message> {
  requireSameRequest(first, key);
  const { repliers: _, replied_at: __, ...sent } = first;
  return { value: showMessage({ ...sent, reactions: [], pinned_at: null }, caller.user, 0), isReplay: true };
}
