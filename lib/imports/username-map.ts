import { readFile, stat } from 'node:fs/promises';
import { newUsername } from '../identity/users.ts';

/*
 * The usernames that an operator has chosen for people of another chat: a file of CSV with two columns, by what somebody
 * is known there (the id, the username or the e-mail address), and the username here.
 */

/** So large a file may be: some hundred thousand people. */
const mostBytes = 16 * 1024 * 1024;

/** Chosen usernames, by what people are known by in the source. */
export class UsernameMap {
  readonly #usernames = new Map<string, string>();
  readonly #used = new Set<string>();

  /** Reads a file; an error, with the number of the line, for one that is not as it must be. */
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

  /** The username for somebody who is known by one of these. */
  find(keys: (string | undefined)[]): string | undefined {
    for (const key of keys) {
      const username = this.#usernames.get(key?.toLowerCase() ?? '');
      if (username === undefined || key === undefined) continue;
      this.#used.add(key.toLowerCase());
      return username;
    }
    return undefined;
  }

  /** How many lines have named nobody. */
  get unused(): number {
    return this.#usernames.size - this.#used.size;
  }
}

/** The fields of a line, separated by commas, semicolons or tabs, with or without quotes. */
const fieldsOf = (line: string): string[] =>
  [...line.matchAll(/(?:^|[,;\t])[ ]*(?:"((?:[^"]|"")*)"|([^,;\t"]*))[ ]*(?=$|[,;\t])/g)].map(([, quoted, plain = '']) =>
    (quoted?.replaceAll('""', '"') ?? plain).trim(),
  );
