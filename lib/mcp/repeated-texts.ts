import { createHash, randomUUID } from 'node:crypto';
import type { ObjectId } from 'mongodb';
import { type SentTextDocument, sentTexts } from '../collections/rooms/sent-texts.ts';
import { retryContended } from '../database/engines.ts';
import type { Caller } from '../identity/caller.ts';
import { hashedContent, type SentContent } from '../messages/content.ts';

/** A text with its content, and its destination. */
type SentText = { room: ObjectId; thread?: ObjectId | undefined; text: string } & SentContent;

/** For how long the same text from the same token to the same place is the same message. */
const windowMs = 60_000;

/**
 * The idempotency key of a message that a client sent without one. It is the key of the first call
 * with the same text, token and place in the last 60 seconds. Agents repeat calls whose answers got
 * lost, and do not invent keys. One atomic update by the database's clock decides, so that
 * concurrent calls get the same key.
 */
export async function keyOfRepeatedText({ room, thread, text, ...content }: SentText, { token }: Caller): Promise<string> {
  const said = JSON.stringify([token._id, room, thread ?? null, text, ...hashedContent(content)]);
  const _id = createHash('sha256').update(said).digest('hex');
  const isRecent = { $gt: [{ $add: ['$at', windowMs] }, '$$NOW'] };
  const kept = (field: keyof SentTextDocument, value: unknown) => ({ $cond: [isRecent, `$${field}`, value] });
  const expires_at = new Date(Date.now() + 2 * windowMs);
  const update = [{ $set: { key: kept('key', `mcp-${randomUUID()}`), at: kept('at', '$$NOW'), expires_at } }];
  const options = { upsert: true, returnDocument: 'after' } as const;
  const stored = await retryContended(() => sentTexts.findOneAndUpdate({ _id }, update, options));
  if (!stored) throw new Error('An upsert returned no document');
  return stored.key;
}
