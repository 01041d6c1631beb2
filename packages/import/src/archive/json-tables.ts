import { type Json, jsonOf } from '../json.ts';

/** A record of a table; undefined if it is not JSON or too long. */
type TableRecord = { table: string; record: Json | undefined };

/** The largest record, in bytes. */
const mostRecord = 16 * 1024 * 1024;
/**
 * The deepest nesting in a record. No export is nested as deeply, and deeper records could not be
 * printed.
 */
const deepest = 100;
const longestName = 100;

/**
 * The records of some tables in a JSON file: an object of lists of objects, which is the format of
 * database exports. Records are read one at a time, because the file may be larger than memory.
 * Reading stops after the last of the tables. An invalid or truncated file ends with a record
 * without a table.
 */
export async function* recordsOf(file: AsyncIterable<Buffer>, tables: readonly string[]): AsyncGenerator<TableRecord> {
  const missing = new Set(tables);
  const scanner = new Scanner(missing);
  for await (const chunk of file) {
    yield* scanner.take(chunk);
    if (missing.size === 0 || scanner.isBroken) break;
  }
  if (!scanner.isComplete && missing.size > 0) yield { table: '', record: undefined };
}

class Scanner {
  readonly #missing: Set<string>;
  #depth = 0;
  #isInString = false;
  #isEscaped = false;
  #hasBegun = false;
  /** The last string directly in the root. Before a list, it is the list's name. */
  #name: number[] = [];
  /** The table of the current list. */
  #table: string | undefined;
  /** The bytes of the current record; none if it is too long or too deep. */
  #parts: Buffer[] | undefined;
  #length = 0;
  isBroken = false;

  constructor(missing: Set<string>) {
    this.#missing = missing;
  }

  get isComplete(): boolean {
    return this.#hasBegun && this.#depth === 0 && !this.isBroken;
  }

  *take(chunk: Buffer): Generator<TableRecord> {
    let start = 0;
    for (let at = 0; at < chunk.length; at++) {
      const byte = chunk[at] as number;
      if (this.#isInString) {
        this.#string(byte);
        continue;
      }
      switch (byte) {
        case quote:
          this.#isInString = true;
          if (this.#depth === 1) this.#name = [];
          break;
        case openBrace:
        case openBracket:
          this.#depth++;
          if (this.#depth === 1 && byte === openBracket) this.isBroken = true;
          this.#hasBegun = true;
          if (this.#depth === 2) this.#table = byte === openBracket ? this.#wanted() : undefined;
          else if (this.#depth === 3 && this.#table !== undefined && byte === openBrace) {
            start = at;
            this.#parts = [];
            this.#length = 0;
          } else if (this.#depth > deepest && this.#parts) {
            // Skips the record, and reports it at its end.
            this.#parts = [];
            this.#length = Number.POSITIVE_INFINITY;
          }
          break;
        case closeBrace:
        case closeBracket:
          this.#depth--;
          if (this.#depth === 2 && this.#parts) {
            this.#add(chunk.subarray(start, at + 1));
            yield { table: this.#table ?? '', record: this.#end() };
          } else if (this.#depth === 1 && this.#table !== undefined) {
            this.#missing.delete(this.#table);
            this.#table = undefined;
            if (this.#missing.size === 0) return;
          } else if (this.#depth < 0) this.isBroken = true;
          break;
        default:
          if (!this.#hasBegun && byte > space && !byteOrderMark.includes(byte)) this.isBroken = true;
      }
      if (this.isBroken) return;
    }
    if (this.#parts) this.#add(chunk.subarray(start));
  }

  #string(byte: number): void {
    if (this.#isEscaped) this.#isEscaped = false;
    else if (byte === backslash) this.#isEscaped = true;
    else if (byte === quote) this.#isInString = false;
    if (this.#isInString && this.#depth === 1 && this.#name.length < longestName) this.#name.push(byte);
  }

  #wanted(): string | undefined {
    const name = String.fromCharCode(...this.#name);
    return this.#missing.has(name) ? name : undefined;
  }

  #add(bytes: Buffer): void {
    this.#length += bytes.length;
    if (this.#length <= mostRecord) this.#parts?.push(bytes);
    else this.#parts = [];
  }

  #end(): Json | undefined {
    const text = this.#length <= mostRecord ? Buffer.concat(this.#parts ?? []).toString('utf8') : '';
    this.#parts = undefined;
    try {
      return jsonOf(JSON.parse(text));
    } catch {
      return undefined;
    }
  }
}

const [quote, backslash, openBrace, closeBrace, openBracket, closeBracket, space] = [34, 92, 123, 125, 91, 93, 32];
const byteOrderMark = [0xef, 0xbb, 0xbf];
