import type { ArchiveFile } from '../source.ts';
import { entryName, readingsOf } from './names.ts';

/** Files by their names within the folder that has the whole export. */
export const withoutRoot = (files: ArchiveFile[], root: string): ArchiveFile[] =>
  files.map(({ name, size }) => ({ name: name.startsWith(root) ? name.slice(root.length) : name, size }));

/** So many names in an unknown code page are looked at for a file that was not found by its name. */
const mostAmbiguous = 20_000;

/** The files of an archive: they are found however their names were written, and it is known which were read. */
export class Entries<T> {
  readonly #files = new Map<string, { size: number; entry: T }>();
  /** The bytes of names that do not say in which code page they were written. */
  readonly #ambiguous = new Map<string, Buffer>();
  readonly #read = new Set<string>();
  readonly #skipped: ArchiveFile[] = [];
  #byReading: Map<string, string> | undefined;

  /** Adds a file; false if there is one with the same name. Names that differ in the form of an accent stay apart. */
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

  /** Notes a file that no reader wants. */
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

  /** The entry of a file that is about to be read. */
  open(name: string): T | undefined {
    const key = this.#keyOf(name);
    if (key === undefined) return undefined;
    this.#read.add(key);
    return this.#files.get(key)?.entry;
  }

  /** What a name may be, if nothing says in which code page it was written. */
  readings(name: string): string[] {
    const raw = this.#ambiguous.get(name);
    return raw ? readingsOf(raw) : [];
  }

  /** The files that nobody has read. */
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
