import { type Signal, signal } from '@preact/signals';
import { joinParts, type TextPart } from 'chat-service-client/chunks';
import type { Message, ServerFrame } from '../../service/api.ts';
import { idOf } from '../../service/ids.ts';

/*
 * The texts of messages that stream. The stored message is up to a second older than its frames. A
 * frame has the text from a number of characters on, which the page may know or not.
 */

const parts = new Map<string, Signal<TextPart | undefined>>();

function partOf(message: string): Signal<TextPart | undefined> {
  const found = parts.get(message) ?? signal(undefined);
  parts.set(message, found);
  return found;
}

/** The text of a message, as far as it has streamed. */
export function textOf(message: Message): string {
  const { text } = message;
  if (!message.is_streaming) return text;
  const part = partOf(idOf(message)).value;
  const longer = part && joinParts({ at: 0, text }, part);
  return longer && longer.length > text.length ? longer : text;
}

type ChunkFrame = Extract<ServerFrame, { type: 'chunk' }>;

/** Shows the text of a frame. Returns false if text before it is unknown. */
export function showChunk({ message: { $oid }, at, text }: ChunkFrame, known: Message | undefined): boolean {
  const part = partOf($oid);
  const before = part.peek();
  const longer = before && joinParts(before, { at, text });
  part.value = before && longer !== undefined ? { at: before.at, text: longer } : { at, text };
  return known === undefined || joinParts({ at: 0, text: known.text }, part.peek() as TextPart) !== undefined;
}

/** True if a message streams, and is older than the known one, which is complete or deleted. */
export const isBeforeEnd = (message: Message, known: Message | undefined): boolean =>
  message.is_streaming === true && known !== undefined && !known.is_streaming;

/** Forgets the text of a message that is complete or deleted. */
export function endStream(message: Message): void {
  if (message.is_streaming) return;
  const part = parts.get(idOf(message));
  parts.delete(idOf(message));
  if (part) part.value = undefined;
}
