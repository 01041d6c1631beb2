import { readFile, stat } from 'node:fs/promises';
import { newUsername } from '../identity/account-names.ts';

/*
 * The usernames that an operator has chosen for people of another chat. The CSV file has two
 * columns: the person in the source (by id, username or e-mail address), and the username here.
 */

/** The maximum size of the file: enough for several hundred thousand people. */
const mostBytes = 16 * 1024 * 1024;

/** The chosen usernames, by the id, username or address in the source. */
export class UsernameMap {
  readonly #usernames = new Map<string, string>();
  readonly #used = new Set<string>();

  /** Reads a file. Throws an error with the line number if the file is invalid. */
  static async read(path: string): Promise<UsernameMap> {
    if ((await stat(path)).size > mostBytes) throw new Error(`The file ${path} has more than ${mostBytes} bytes.`);
    return new UsernameMap(await readFile(path, 'utf8'), path);
  }

  constructor(text: string, path: string) {
    const chosen = new Set<string>();
    for (const [index, line] of text
      .replace(/^\ufeff/, '')
      .split(/\r?\n/)
      .entries()) {
      if (line.trim() === '') continue;
      const fields = fieldsOf(line);
      const [key = '', wanted = ''] = fields;
      if (index === 0 && wanted.toLowerCase() === 'username') continue;
      const refuse = (what: string) => new Error(`The file ${path} ${what} in line ${index + 1}.`);
      if (fields.length !== 2 || key === '') throw refuse('does not have two columns');
      const username = newUsername.read(wanted);
      if (username === undefined) throw refuse(`has a username that no account can have (${wanted})`);
      if (this.#usernames.has(key.toLowerCase())) throw refuse(`names ${key} a second time`);
      if (chosen.has(username)) throw refuse(`has the username ${username} a second time`);
      chosen.add(username);
      this.#usernames.set(key.toLowerCase(), username);
    }
  }

  /** The username for a person with one of these keys. */
  find(keys: (string | undefined)[]): string | undefined {
    for (const key of keys) {
      const username = this.#usernames.get(key?.toLowerCase() ?? '');
      if (username === undefined || key === undefined) continue;
      this.#used.add(key.toLowerCase());
      return username;
    }
    return undefined;
  }

  /** The number of lines that matched nobody. */
  get unused(): number {
    return this.#usernames.size - this.#used.size;
  }
}

/** The fields of a line, separated by commas, semicolons or tabs, with optional quotes. */
const fieldsOf = (line: string): string[] =>
  [...line.matchAll(/(?:^|[,;\t])[ ]*(?:"((?:[^"]|"")*)"|([^,;\t"]*))[ ]*(?=$|[,;\t])/g)].map(([, quoted, plain = '']) =>
    (quoted?.replaceAll('""', '"') ?? plain).trim(),
  );
