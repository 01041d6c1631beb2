import { writevSync } from 'node:fs';
import { type FileHandle, mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';

/** The place of some bytes in a spool. */
export type Place = { offset: number; length: number };

/**
 * A temporary file for bytes that are read in another order than they are written. It is unlinked
 * immediately, so that nothing remains if the process is killed.
 */
export class Spool {
  readonly #file: FileHandle;
  #pending: Buffer[] = [];
  #pendingBytes = 0;
  #end = 0;

  private constructor(file: FileHandle) {
    this.#file = file;
  }

  static async create(): Promise<Spool> {
    const directory = await mkdtemp(join(tmpdir(), 'chat-import-'));
    try {
      return new Spool(await open(join(directory, 'spool'), 'wx+', 0o600));
    } finally {
      await rm(directory, { recursive: true });
    }
  }

  /** Appends bytes. Consecutive calls write adjacent bytes. */
  append(bytes: Buffer): Place {
    const place = { offset: this.#end, length: bytes.length };
    if (bytes.length === 0) return place;
    this.#pending.push(bytes);
    this.#pendingBytes += bytes.length;
    this.#end += bytes.length;
    if (this.#pendingBytes >= mostPending) this.#write();
    return place;
  }

  get end(): number {
    return this.#end;
  }

  read = async ({ offset, length }: Place): Promise<Buffer> => {
    this.#write();
    const { buffer, bytesRead } = await this.#file.read(Buffer.alloc(length), 0, length, offset);
    return buffer.subarray(0, bytesRead);
  };

  /** The file handle's own stream would close the file at its end. */
  stream({ offset, length }: Place): Readable {
    const { read } = this;
    return Readable.from(
      (async function* () {
        for (let at = 0; at < length; at += pieceSize)
          yield await read({ offset: offset + at, length: Math.min(pieceSize, length - at) });
      })(),
      { objectMode: false },
    );
  }

  close = (): Promise<void> => this.#file.close();

  #write(): void {
    let pending = this.#pending;
    this.#pending = [];
    this.#pendingBytes = 0;
    while (pending.length > 0) {
      let written = writevSync(this.#file.fd, pending);
      const next = pending.findIndex(({ length }) => {
        if (written < length) return true;
        written -= length;
        return false;
      });
      pending = next < 0 ? [] : [(pending[next] as Buffer).subarray(written), ...pending.slice(next + 1)];
    }
  }
}

const mostPending = 1024 * 1024;
const pieceSize = 64 * 1024;
