import type { Readable } from 'node:stream';
import type { AnnouncedBytes } from '../collections/rooms/files.ts';

/**
 * A store for the bytes of files, by random keys. The bytes of a key never change. Clients transfer
 * them through the service, or directly to and from the store.
 */
export type FileStore = StoredKeys & (LocalTransfer | DirectTransfer);

/** The operations of every store. */
type StoredKeys = {
  /**
   * The first bytes of a key, `beginningLength` by default; undefined if the key does not exist.
   */
  beginning: (key: string, length?: number) => Promise<Buffer | undefined>;
  remove: (key: string) => Promise<void>;
  /** The keys stored before a time, in batches. */
  keysBefore: (time: number) => AsyncIterable<string[]>;
  /** Copies the bytes of these keys to a directory; returns the missing keys. */
  copyTo: (directory: string, keys: AsyncIterable<string[]>) => Promise<string[]>;
  /** Copies the bytes from such a directory; returns how many keys it copied. */
  copyFrom: (directory: string) => Promise<number>;
};

/** A store that clients reach through the service. */
type LocalTransfer = {
  direct?: undefined;
  /**
   * Stores the bytes of a stream; 409 if they are not the announced ones. Afterwards they survive a
   * power cut.
   */
  receive: (key: string, announced: AnnouncedBytes, bytes: AsyncIterable<Uint8Array>) => Promise<void>;
  read: (key: string, range: { start: number; end: number }) => Readable;
};

/** A store that clients reach directly, by addresses that the service signs. */
type DirectTransfer = {
  direct: {
    /** A signed upload request, which the store accepts only with the announced bytes. */
    upload: (key: string, announced: AnnouncedBytes) => { url: string; headers: Record<string, string>; expiresAt: Date };
    /** Returns true if the store has the announced bytes. */
    holds: (key: string, announced: AnnouncedBytes) => Promise<boolean>;
    /** An address that is readable for a minute, with the type and disposition of the response. */
    address: (key: string, method: 'GET' | 'HEAD', shown: { type: string; disposition: string }) => string;
  };
  receive?: undefined;
  read?: undefined;
};

/** How many bytes `beginning` reads: enough to detect a file's type. */
export const beginningLength = 512;
