import type { AttachedFile, MessageDocument } from '../collections/rooms/messages.ts';
import { type Content, weightOfContent } from './content.ts';

/**
 * The approximate size of a page in bytes. A page of long messages has fewer messages than its
 * limit.
 */
export const mostBytes = 1024 * 1024;

/**
 * The number of messages to read before their sizes are known: a feed's default page, the place
 * before it, and one more.
 */
const firstChunk = 52;

/** The approximate size of a message as JSON, in bytes. */
export const weightOf = ({ text, files, mentions, reactions, ...content }: WeighedMessage): number =>
  weightOfIds(mentions.length + reactions.length) +
  Buffer.byteLength(text) +
  (files ? weightOfFiles(files) : 0) +
  weightOfContent(content);

type WeighedMessage = Content & Pick<MessageDocument, 'text' | 'files' | 'mentions' | 'reactions'>;

const weightOfFiles = (files: AttachedFile[]) =>
  files.reduce((bytes, { name, alt = '' }) => bytes + bytesOfRest + Buffer.byteLength(name) + Buffer.byteLength(alt), 0);
const bytesOfRest = 200;

/** The approximate size in bytes of this many ids as JSON, including their object. */
export const weightOfIds = (count: number): number => 400 + 36 * count;

/** The first items that fit in a page; at least one. */
export function fitting<T>(all: T[], weigh: (one: T) => number): T[] {
  let bytes = 0;
  const end = all.findIndex((one, at) => {
    bytes += weigh(one);
    return at > 0 && bytes > mostBytes;
  });
  return end < 0 ? all : all.slice(0, end);
}

/** The messages that were read, and whether there are more. */
type ReadPage<T> = { found: T[]; hasMore: boolean };

/**
 * Reads messages in order: at most `limit`, as many as fit in a page, and at least one. `read`
 * returns at most as many messages as requested, after the last one. Most pages need one read; long
 * messages or limits above the default need more.
 */
export async function readWithinSize<T extends MessageDocument>(
  limit: number,
  read: (limit: number, last: T | undefined) => Promise<T[]>,
  most = mostBytes,
): Promise<ReadPage<T>> {
  const found: T[] = [];
  let bytes = 0;
  for (;;) {
    const affordable = found.length === 0 ? firstChunk : Math.ceil((most - bytes) / (bytes / found.length)) + 1;
    const wanted = Math.min(limit + 1 - found.length, affordable);
    const chunk = await read(wanted, found.at(-1));
    for (const message of chunk) {
      bytes += weightOf(message);
      if (found.length === limit || (found.length > 0 && bytes > most)) return { found, hasMore: true };
      found.push(message);
    }
    if (chunk.length < wanted) return { found, hasMore: false };
  }
}
