import { isBlank, normaliseText } from 'chat-service-rules/texts';
import type { ObjectId } from 'mongodb';
import { conflict, type Refusal } from '../../base/errors.ts';
import type { Caller } from '../../identity/caller.ts';
import { carrier } from '../../notices/carrier.ts';
import { findContext } from '../../rooms/contexts.ts';
import { refusalsOf, requirePermission } from '../../rooms/permissions.ts';
import { messageDeleted, requireNotDeleted } from '../change.ts';
import { authorRequired } from '../edit.ts';
import { type AuthoredMessage, findMessage, type Message, showAuthored } from '../messages.ts';
import { countReplies } from '../replies.ts';
import { type Chunk, extend, wrongPosition } from './chunks.ts';
import { endStream } from './end.ts';
import { accept, countChunk, findLive, forgetLive, keepLive, type LiveStream, newLive } from './live.ts';
import { lengthOf } from './start.ts';

export const notStreaming: Refusal = () => conflict('not_streaming', 'The message does not stream, or its stream has ended.');

export const appendRefusals = [authorRequired, messageDeleted, notStreaming, wrongPosition, ...refusalsOf('send')];

/** Appends a chunk to a message of the caller. Returns the message with its text so far. */
export async function appendChunk(id: ObjectId, chunk: Chunk, caller: Caller): Promise<Message> {
  const known = findLive(id);
  if (known?.message.user.equals(caller.user._id)) {
    if (!chunk.isLast) requirePermission(await findContext(known.message.room, caller), 'send');
    // The stream may have left the memory meanwhile: then nothing would store its text.
    if (findLive(id) === known) {
      // Another process may have received the text in between. Then the database has more of it.
      if (chunk.at <= known.length) return add(known, chunk, caller);
      forgetLive(id);
    }
  }
  const { message, room } = await findMessage(id, caller);
  requireAuthor(message, caller);
  requireNotDeleted(message);
  if (!message.streaming) return showEnded(message, chunk);
  if (!chunk.isLast) requirePermission(room, 'send');
  const stream = newLive(message, await countReplies(message.room, [message]));
  // A concurrent request may have read it as well.
  const first = findLive(id);
  if (first && first.length >= stream.length) return add(first, chunk, caller);
  // A function forgets everything between requests.
  if (!carrier) keepLive(stream);
  return add(stream, chunk, caller);
}

function requireAuthor({ user }: AuthoredMessage, caller: Caller): void {
  if (!user.equals(caller.user._id)) throw authorRequired();
}

/** The answer to a repeated last chunk, whose first answer was lost. */
async function showEnded(message: AuthoredMessage, chunk: Chunk): Promise<Message> {
  const { text, streamed } = message;
  // The normal form of a text is never longer than the sent one.
  const isWhole = chunk.at + lengthOf(chunk.append) >= lengthOf(text);
  const isRepeated = chunk.isLast && streamed === 'complete' && isWhole && text.endsWith(normaliseText(chunk.append));
  if (!isRepeated) throw notStreaming();
  return showAuthored(message, await countReplies(message.room, [message]));
}

async function add(stream: LiveStream, chunk: Chunk, caller: Caller): Promise<Message> {
  const longer = extend(stream, chunk);
  if (chunk.isLast) {
    const whole = normaliseText(longer.text);
    const ended = await endStream(stream.message._id, { text: isBlank(whole) ? '' : whole, caller });
    forgetLive(stream.message._id);
    if (ended) return ended;
    // Another process has received the end.
    const { message } = await findMessage(stream.message._id, caller);
    requireNotDeleted(message);
    return showEnded(message, chunk);
  }
  if (longer.length > stream.length) {
    countChunk(stream);
    await accept(stream, longer);
  }
  const { message, text, replies } = stream;
  return showAuthored({ ...message, text }, replies);
}
