import type { FileHandle } from 'node:fs/promises';
import { parseJson } from 'chat-service-rules/objects';
import { type Json, jsonOf, listOf, textOf } from '../json.ts';

/**
 * The posts in the lines of a file. Posts with replies are cached for a while, because their
 * replies are usually read next.
 */
export class PostLines {
  readonly #file: FileHandle;
  /** The parsed lines, the last used one at the end, and the size of each in bytes. */
  readonly #parsed = new Map<number, { post: Json; length: number }>();
  #parsedBytes = 0;

  constructor(file: FileHandle) {
    this.#file = file;
  }

  async postAt(offset: number, length: number): Promise<Json> {
    const known = this.#parsed.get(offset);
    if (known) {
      this.#parsed.delete(offset);
      this.#parsed.set(offset, known);
      return known.post;
    }
    const { buffer } = await this.#file.read(Buffer.alloc(length), 0, length, offset);
    const line = parseLine(buffer.toString('utf8')) ?? {};
    const post = jsonOf(line[textOf(line.type) ?? '']);
    if (listOf(post.replies).length === 0) return post;
    this.#parsed.set(offset, { post, length });
    this.#parsedBytes += length;
    for (const [key, old] of this.#parsed) {
      if (this.#parsedBytes <= mostParsed || key === offset) break;
      this.#parsed.delete(key);
      this.#parsedBytes -= old.length;
    }
    return post;
  }
}

/** The most bytes of lines in the cache. */
const mostParsed = 1024 * 1024;

/** The object in a line; undefined for anything else. */
export function parseLine(text: string): Json | undefined {
  const parsed = parseJson(text.replace(/^\ufeff/, ''));
  return typeof parsed === 'object' && parsed !== null ? jsonOf(parsed) : undefined;
}
