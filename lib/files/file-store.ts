import type { Readable } from 'node:stream';
import type { AnnouncedBytes } from '../collections/rooms/files.ts';

/**
 * Where the bytes of files are, by random keys. What is there under a key never changes. Senders and readers reach it
 * through the service, or themselves.
 */
export type FileStore = StoredKeys & (LocalTransfer | DirectTransfer);

/** What each store can do. */
type StoredKeys = {
  /** The first bytes under a key, `beginningLength` by default; undefined if there is nothing. */
  beginning: (key: string, length?: number) => Promise<Buffer | undefined>;
  remove: (key: string) => Promise<void>;
  /** The keys of what was stored before a time, some at a time. */
  keysBefore: (time: number) => AsyncIterable<string[]>;
  /** Copies what is under these keys into a directory; returns which are missing. */
  copyTo: (directory: string, keys: AsyncIterable<string[]>) => Promise<string[]>;
  /** Brings what such a copy has. */
  copyFrom: (directory: string) => Promise<number>;
};

/** A store whose bytes come and go through the service. */
type LocalTransfer = {
  direct?: undefined;
  /** Stores bytes as they come, if they are those that were announced: 409 otherwise. They survive a power cut from then on. */
  receive: (key: string, announced: AnnouncedBytes, bytes: AsyncIterable<Uint8Array>) => Promise<void>;
  read: (key: string, range: { start: number; end: number }) => Readable;
};

/** A store that senders and readers reach themselves, by addresses that the service signs. */
type DirectTransfer = {
  direct: {
    /** The request by which a sender stores the bytes that were announced, and no others. */
    upload: (key: string, announced: AnnouncedBytes) => { url: string; headers: Record<string, string>; expiresAt: Date };
    /** Whether it has them. */
    holds: (key: string, announced: AnnouncedBytes) => Promise<boolean>;
    /** Where they can be read for a minute, and as what. */
    address: (key: string, method: 'GET' | 'HEAD', shown: { type: string; disposition: string }) => string;
  };
  receive?: undefined;
  read?: undefined;
};

/** How many bytes `beginning` reads: enough to tell what kind of file it is. */
export const beginningLength = 512;
