import type { ArchiveFile } from '../source.ts';
import { entryName, readingsOf } from './names.ts';

/** Files by their names within the export's folder. */
export const withoutRoot = (files: ArchiveFile[], root: string): ArchiveFile[] =>
  files.map(({ name, size }) => ({ name: name.startsWith(root) ? name.slice(root.length) : name, size }));

/** The most names in an unknown code page that are tried for a file that was not found by name. */
const mostAmbiguous = 20_000;

/**
 * The files of an archive. They are found in any encoding of their names. Read files are tracked.
 */
export class Entries<T> {
  readonly #files = new Map<string, { size: number; entry: T }>();
  /** The raw bytes of names whose code page is unknown. */
  readonly #ambiguous = new Map<string, Buffer>();
  readonly #read = new Set<string>();
  readonly #skipped: ArchiveFile[] = [];
  #byReading: Map<string, string> | undefined;

  /**
   * Adds a file; returns false if the name exists. Names that differ only in the Unicode form of an
   * accent remain separate.
   */
  add(name: string, size: number, entry: T): boolean {
    const key = this.#files.has(entryName(name)) ? name : entryName(name);
    if (this.#files.has(key)) return false;
    this.#files.set(key, { size, entry });
    return true;
  }

  /** Adds a file of a zip archive, whose name may be in any code page. */
  addRaw(name: string, raw: Buffer | undefined, size: number, entry: T): boolean {
    if (raw && this.#ambiguous.size < mostAmbiguous) this.#ambiguous.set(name, raw);
    if (!raw) return this.add(name, size, entry);
    if (this.#files.has(name)) return false;
    this.#files.set(name, { size, entry });
    return true;
  }

  /** Records a file that is not read. */
  skip(name: string, size: number): void {
    this.#skipped.push({ name, size });
  }

  get names(): string[] {
    return [...this.#files.keys()];
  }

  get count(): number {
    return this.#files.size + this.#skipped.length;
  }

  size(name: string): number | undefined {
    return this.#files.get(this.#keyOf(name) ?? '')?.size;
  }

  /** The entry of a file, which is then marked as read. */
  open(name: string): T | undefined {
    const key = this.#keyOf(name);
    if (key === undefined) return undefined;
    this.#read.add(key);
    return this.#files.get(key)?.entry;
  }

  /** The possible readings of a name whose code page is unknown. */
  readings(name: string): string[] {
    const raw = this.#ambiguous.get(name);
    return raw ? readingsOf(raw) : [];
  }

  /** The files that were not read. */
  unread(): ArchiveFile[] {
    const unread = [...this.#files].filter(([name]) => !this.#read.has(name));
    return [...unread.map(([name, { size }]) => ({ name, size })), ...this.#skipped];
  }

  #keyOf(name: string): string | undefined {
    if (this.#files.has(name)) return name;
    const key = entryName(name);
    if (this.#files.has(key)) return key;
    if (this.#ambiguous.size === 0) return undefined;
    this.#byReading ??= new Map([...this.#ambiguous].flatMap(([known, raw]) => readingsOf(raw).map((one) => [one, known])));
    return this.#byReading.get(key);
  }
}
