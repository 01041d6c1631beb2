import type { Readable } from 'node:stream';
import type { AnnouncedBytes } from '../collections/files.ts';

/**
 * Where the bytes of files are, by random keys. What is there under a key never changes. Another kind of store
 * implements the same.
 */
export type FileStore = {
  /** Stores bytes as they come, if they are those that were announced: 409 otherwise. They survive a power cut from then on. */
  receive: (key: string, announced: AnnouncedBytes, bytes: AsyncIterable<Uint8Array>) => Promise<void>;
  /** The first bytes under a key; undefined where there is nothing. */
  beginning: (key: string) => Promise<Buffer | undefined>;
  read: (key: string, range: { start: number; end: number }) => Readable;
  remove: (key: string) => Promise<void>;
  /** The keys of what was stored before a time, some at a time. */
  keysBefore: (time: number) => AsyncIterable<string[]>;
  /** Copies what is under these keys into a directory; returns which are missing. */
  copyTo: (directory: string, keys: AsyncIterable<string[]>) => Promise<string[]>;
  /** Brings what such a copy has. */
  copyFrom: (directory: string) => Promise<number>;
};
