import { Readable } from 'node:stream';
import { Binary } from 'bson';
import type { Place, Spool } from '../archive/spool.ts';
import { type Json, numberOf, textOf } from '../json.ts';

type Chunk = Place & { number: number };

/** Files in GridFS: numbered chunks in any order. */
export class GridFiles {
  readonly #spool: Spool;
  readonly #chunks = new Map<string, Chunk[]>();

  constructor(spool: Spool) {
    this.#spool = spool;
  }

  /** Adds a chunk; returns false if it is invalid. */
  add({ files_id, n, data }: Json): boolean {
    const [file, number] = [textOf(files_id), numberOf(n)];
    if (file === undefined || number === undefined || !(data instanceof Binary)) return false;
    const chunk = { number, ...this.#spool.append(Buffer.from(data.value())) };
    const found = this.#chunks.get(file);
    if (found) found.push(chunk);
    else this.#chunks.set(file, [chunk]);
    return true;
  }

  /** The size and the bytes of a file. Reading ends with an error if a chunk is missing. */
  find(id: string): { size: number; open: () => Promise<Readable> } | undefined {
    const chunks = this.#chunks.get(id)?.toSorted((one, other) => one.number - other.number);
    if (!chunks) return undefined;
    const spool = this.#spool;
    const read = async function* () {
      for (const [index, chunk] of chunks.entries()) {
        if (chunk.number !== index) throw new Error(`The file ${id} lacks chunk ${index}.`);
        yield await spool.read(chunk);
      }
    };
    return {
      size: chunks.reduce((sum, { length }) => sum + length, 0),
      open: async () => Readable.from(read(), { objectMode: false }),
    };
  }
}
