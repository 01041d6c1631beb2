import { isObject } from '../objects.ts';
import { firstCharacters, shortened } from '../shortened.ts';
import { storable } from '../texts.ts';

/**
 * How many characters of one text are read: more than a message can have, for it may become
 * shorter.
 */
const mostCharacters = 20_000;

/** A field that is not as its format demands: `rule` completes the sentence "It must …". */
export class FormatError extends Error {
  override name = 'FormatError';
  readonly path: string;
  readonly rule: string;

  constructor(path: string, rule: string) {
    super(`'${path}' must ${rule}`);
    this.path = path;
    this.rule = rule;
  }
}

/**
 * A payload of another program, read field by field. A field of a wrong type throws a
 * `FormatError`; unknown fields are ignored.
 */
export class Reader {
  readonly value: unknown;
  readonly path: string;

  constructor(value: unknown, path = '') {
    this.value = value ?? undefined;
    this.path = path;
  }

  /** The field at this path of names; empty if it does not exist. */
  at(...names: string[]): Reader {
    let { value, path } = this;
    for (const name of names) {
      if (value !== undefined && value !== null && !isObject(value)) throw new FormatError(path, 'be an object');
      value = isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
      path = path === '' ? name : `${path}.${name}`;
    }
    return new Reader(value, path);
  }

  /** The first of these fields that is there. */
  first(...names: string[]): Reader {
    const found = names.map((name) => this.at(name));
    return found.find(({ isThere }) => isThere) ?? (found[0] as Reader);
  }

  get isThere(): boolean {
    return this.value !== undefined;
  }

  /**
   * The text, without characters that messages cannot have. It is empty if the field is missing.
   * Numbers and flags are converted to text.
   */
  text(): string {
    const { value } = this;
    if (value === undefined) return '';
    if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'boolean')
      throw new FormatError(this.path, 'be a text');
    return storable(firstCharacters(String(value), mostCharacters));
  }

  /** The text on one line, and not longer than a title. */
  line(): string {
    return shortened(this.text().replaceAll(/\s+/g, ' ').trim(), 200);
  }

  /** The address, if it is a web address that can be in a link. */
  address(): string | undefined {
    return webAddress(this.text().trim());
  }

  /** The number, or 0. */
  number(): number {
    if (this.value === undefined) return 0;
    if (typeof this.value !== 'number') throw new FormatError(this.path, 'be a number');
    return this.value;
  }

  isTrue(): boolean {
    return this.value === true;
  }

  /** The first `most` items of the list, or an empty list. */
  list(most: number): Reader[] {
    if (this.value === undefined) return [];
    if (!Array.isArray(this.value)) throw new FormatError(this.path, 'be a list');
    return this.value.slice(0, most).map((item, index) => new Reader(item, `${this.path}[${index}]`));
  }

  /** How many items the list has. */
  get length(): number {
    return Array.isArray(this.value) ? this.value.length : 0;
  }
}

/** An address of the web as it may stand in a link; undefined for any other. */
export function webAddress(text: string): string | undefined {
  if (!/^https?:\/\//i.test(text) || text.length > 2_000 || !URL.canParse(text)) return undefined;
  return text.replaceAll(/[\s()<>\\]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`);
}
