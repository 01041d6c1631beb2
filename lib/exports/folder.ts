import { createWriteStream } from 'node:fs';
import { type FileHandle, mkdir, open, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { syncTree } from '../base/durable-files.ts';
import { toPrintableJson } from '../base/printable-json.ts';
import { fileKeyOf, findStore } from '../files/store.ts';

/** The file of a message, as input for an export. */
type ExportedFile = { _id: { toHexString: () => string }; key: string; name: string; size: number };

/**
 * A new folder for an export that people can read: JSON with one record per line, and files under
 * their names. Only its owner can read it.
 */
export class ExportFolder {
  readonly #path: string;
  readonly #lists = new Map<string, FileHandle>();
  readonly counts: Record<string, number> = {};

  private constructor(path: string) {
    this.#path = path;
  }

  /** Creates the folder; throws if the name exists. */
  static async create(path: string): Promise<ExportFolder> {
    await mkdir(path, { mode: 0o700 });
    return new ExportFolder(path);
  }

  /** Creates a folder within it. */
  folder = (name: string): Promise<ExportFolder> => ExportFolder.create(join(this.#path, name));

  /** Writes a record as a separate file. */
  async write(name: string, record: unknown): Promise<void> {
    await this.writeBytes(name, Buffer.from(`${JSON.stringify(record, null, 2)}\n`));
  }

  /** Writes the bytes of a small file. */
  async writeBytes(name: string, bytes: Uint8Array): Promise<void> {
    const file = await open(join(this.#path, name), 'wx', 0o600);
    try {
      await file.writeFile(bytes);
      await file.sync();
    } finally {
      await file.close();
    }
  }

  /** Appends records to a list, one per line. */
  async add(list: string, records: readonly unknown[]): Promise<void> {
    const name = `${list}.ndjson`;
    const file = this.#lists.get(list) ?? (await open(join(this.#path, name), 'wx', 0o600));
    this.#lists.set(list, file);
    if (records.length > 0) await file.appendFile(records.map((record) => `${toPrintableJson(record)}\n`).join(''));
    this.count(list, records.length);
  }

  count(what: string, count: number): void {
    this.counts[what] = (this.counts[what] ?? 0) + count;
  }

  /** Copies a file. Returns its path in the folder, or null if the service has lost its bytes. */
  async addFile({ _id, key, name, size }: ExportedFile): Promise<string | null> {
    const safe = name.replaceAll(/[^\p{L}\p{M}\p{N} ._-]+/gu, '_').replace(/^\.+/, '');
    const path = `files/${_id.toHexString()}-${shortName(safe)}`;
    await mkdir(join(this.#path, 'files'), { recursive: true, mode: 0o700 });
    const isThere = await copyBytes(key, size, join(this.#path, path));
    this.count(isThere ? 'files' : 'files without bytes', 1);
    return isThere ? path : null;
  }

  /** Completes the folder, so that it survives a power cut. */
  async close(): Promise<void> {
    for (const file of this.#lists.values()) await file.sync().finally(() => file.close());
    this.#lists.clear();
    await syncTree(this.#path);
  }
}

/** The end of a name, which includes its extension. File systems limit names to 255 bytes. */
function shortName(name: string): string {
  let short = name;
  while (Buffer.byteLength(short) > 200) short = [...short].slice(1).join('');
  return short === '' ? 'file' : short;
}

async function copyBytes(key: string, size: number, path: string): Promise<boolean> {
  const store = findStore();
  if (!store || (await store.beginning(key)) === undefined) return false;
  if (store.read && size > 0) {
    // A copy, not a link: otherwise a change of the exported file would change the service's file.
    await pipeline(
      store.read(key, { start: 0, end: size - 1 }),
      createWriteStream(path, { flags: 'wx', mode: 0o600, flush: true }),
    );
    return true;
  }
  const directory = `${path}.partial`;
  const one = async function* () {
    yield [key];
  };
  try {
    if ((await store.copyTo(directory, one())).length > 0) return false;
    await rename(join(directory, key.slice(0, 2), fileKeyOf(key)), path);
    return true;
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}
