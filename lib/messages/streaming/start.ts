import type { ObjectId } from 'mongodb';
import { conflict, type Refusal } from '../../base/errors.ts';
import { messages } from '../../collections/rooms/messages.ts';
import type { Caller } from '../../identity/caller.ts';
import { isProgram, programRequired } from '../questions/question.ts';

/** The most messages of an account that can stream at the same time. */
const mostStreams = 20;

export const tooManyStreams: Refusal = () =>
  conflict('too_many_streams', 'Too many messages of the account stream already. Finish one first.');

export const startRefusals = [programRequired, tooManyStreams];

/**
 * The filter for messages that stream now. Its index is empty while nobody streams. Not every
 * database would use the index for `$exists`.
 */
export const isStreaming = { 'streaming.stored_at': { $gte: new Date(0) } };

/**
 * Refuses a new stream of a person (403), and of an account with too many of them (409). Requests
 * that start at the same moment may exceed the number by a few.
 */
export async function requireStream(caller: Caller): Promise<void> {
  if (!isProgram(caller)) throw programRequired();
  if ((await countStreams(caller.user._id)) >= mostStreams) throw tooManyStreams();
}

/**
 * Counts each message once. Each write of a stream moves it to the end of the index, where a scan
 * in progress finds it again.
 */
async function countStreams(user: ObjectId): Promise<number> {
  const found = await messages.find({ user, ...isStreaming }, { projection: { _id: 1 }, limit: 2 * mostStreams }).toArray();
  return new Set(found.map(({ _id }) => _id.toHexString())).size;
}

/** The stored state of a message that begins to stream. */
export const beginning = (text: string, stored_at: Date) => ({ streaming: { length: lengthOf(text), stored_at } });

/** The length of a text in characters (code points), which all limits of the API count. */
export function lengthOf(text: string): number {
  let length = 0;
  for (const _ of text) length++;
  return length;
}

/** The index in a text after this many characters. */
export function indexAfter(text: string, characters: number): number {
  let index = 0;
  for (let count = 0; count < characters; count++) index += (text.codePointAt(index) ?? 0) > 0xffff ? 2 : 1;
  return index;
}
