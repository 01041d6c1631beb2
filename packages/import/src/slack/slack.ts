import { type Archive, broken, openArchive } from '../archive/archive.ts';
import { type Json, jsonOf, listOf, numberOf, textOf } from '../json.ts';
import type { Source, SourceItem, SourcePerson, SourceRoom, UsernameOf } from '../source.ts';
import type { SlackFiles } from './files.ts';
import { dateOf, firstText, type Pins, pinsOf, readMessage, timeOf } from './messages.ts';

/*
 * The archive that Slack exports: `users.json`; `channels.json`, `groups.json`, `dms.json` and `mpims.json`, with the
 * rooms that the person who exported them could see; and a folder for each room, with a file for each day. Fields may be
 * missing or unknown: only those that are used are read, and none of them stops an import.
 */

/** The most bytes of one file, which is read as a whole. */
const mostBytes = 64 * 1024 * 1024;

/** Opens an archive of Slack, whose files come from `files` if that is given; an error for any other file. */
export async function openSlack(path: string, files?: SlackFiles): Promise<Source> {
  const archive = await openArchive(path);
  try {
    const root = rootOf(archive);
    if (root === undefined) throw broken(path, 'is not an export of Slack: it has neither users.json nor channels.json');
    return new SlackArchive(archive, root, files);
  } catch (error) {
    await archive.close();
    throw error;
  }
}

/** The folder that has the files, with its `/`: empty unless somebody has packed the archive again. */
function rootOf({ names }: Archive): string | undefined {
  const found = names.filter((name) => /(^|\/)(users|channels)\.json$/.test(name)).map((name) => name.replace(/[^/]+$/, ''));
  return found.sort((one, other) => one.length - other.length)[0];
}

class SlackArchive implements Source {
  readonly name = 'slack';
  readonly #archive: Archive;
  readonly #root: string;
  readonly #files: SlackFiles | undefined;
  /** The names of the files of days, by their folder. */
  readonly #days = new Map<string, string[]>();
  readonly #channelNames = new Map<string, string>();
  /** The ids of the users by which bots speak. */
  readonly #userOfBot = new Map<string, string>();
  #done = 0;
  readonly #all: number;

  constructor(archive: Archive, root: string, files: SlackFiles | undefined) {
    this.#archive = archive;
    this.#root = root;
    this.#files = files;
    for (const name of archive.names) {
      const [, folder] = name.startsWith(root) ? (/^([^/]+)\/[^/]+\.json$/.exec(name.slice(root.length)) ?? []) : [];
      if (folder === undefined) continue;
      const days = this.#days.get(folder) ?? [];
      days.push(name);
      this.#days.set(folder, days);
    }
    for (const days of this.#days.values()) days.sort();
    this.#all = [...this.#days.values()].reduce((sum, days) => sum + days.length, 0);
  }

  progress = () => ({ done: this.#done, all: this.#all });

  close = async () => {
    await this.#files?.close();
    await this.#archive.close();
  };

  async *people(): AsyncGenerator<SourcePerson> {
    for (const user of await this.#list('users.json')) {
      const id = textOf(user.id);
      if (id === undefined) continue;
      const profile = jsonOf(user.profile);
      const bot = textOf(profile.bot_id);
      if (bot !== undefined) this.#userOfBot.set(bot, id);
      yield {
        id,
        username: textOf(user.name) ?? id,
        name: firstText(profile.real_name, user.real_name, profile.display_name),
        email: textOf(profile.email),
        isBot: user.is_bot === true || id === 'USLACKBOT',
        isActive: user.deleted !== true,
        isGuest: user.is_restricted === true || user.is_ultra_restricted === true,
      };
    }
  }

  async *rooms(): AsyncGenerator<SourceRoom> {
    const lists = await Promise.all(
      roomLists.map(async ({ file, kind }) => (await this.#list(file)).map((channel) => ({ channel, kind }))),
    );
    const all = lists.flat();
    for (const { channel } of all) {
      const [id, name] = [textOf(channel.id), textOf(channel.name)];
      if (id !== undefined && name !== undefined) this.#channelNames.set(id, name);
    }
    const read = new Set<string>();
    for (const { channel, kind } of all) {
      const id = textOf(channel.id) ?? textOf(channel.name);
      if (id === undefined) continue;
      const folder = [textOf(channel.name), id].find((name) => name !== undefined && this.#days.has(name) && !read.has(name));
      if (folder !== undefined) read.add(folder);
      yield this.#room(id, { channel, kind }, folder);
    }
    for (const folder of this.#days.keys())
      if (!read.has(folder))
        yield { ...this.#room(folder, { channel: {}, kind: 'private' }, folder), leftOut: 'not listed in the archive' };
  }

  #room(id: string, { channel, kind }: { channel: Json; kind: SourceRoom['kind'] }, folder: string | undefined): SourceRoom {
    const created = numberOf(channel.created);
    return {
      id,
      kind,
      name: textOf(channel.name) ?? id,
      topic: firstText(jsonOf(channel.topic).value, jsonOf(channel.purpose).value) ?? '',
      members: listOf(channel.members).flatMap((member) => textOf(member) ?? []),
      owner: textOf(channel.creator),
      createdAt: created === undefined ? undefined : dateOf(created * 1000),
      isArchived: channel.is_archived === true,
      messages: (usernameOf) => this.#messages(id, pinsOf(channel), folder, usernameOf),
    };
  }

  async *#messages(channel: string, pins: Pins, folder: string | undefined, usernameOf: UsernameOf): AsyncGenerator<SourceItem> {
    for (const day of this.#days.get(folder ?? '') ?? []) {
      const parsed = await this.#parse(day);
      this.#done++;
      if (!Array.isArray(parsed)) {
        yield { leftOut: parsed === undefined ? 'not JSON, or too long' : 'not a list of messages', kind: 'pages', raw: day };
        continue;
      }
      // Nearly all files are in the order of the messages' times already.
      const times = new Map(parsed.map((message: unknown) => [message, timeOf(jsonOf(message).ts)?.getTime() ?? 0]));
      parsed.sort((one, other) => (times.get(one) ?? 0) - (times.get(other) ?? 0));
      const [channelNames, userOfBot, files] = [this.#channelNames, this.#userOfBot, this.#files];
      for (const message of parsed) yield readMessage(message, { channel, pins, usernameOf, channelNames, userOfBot, files });
    }
  }

  async #list(file: string): Promise<Json[]> {
    if (this.#archive.size(this.#root + file) === undefined) return [];
    const parsed = await this.#parse(this.#root + file);
    if (!Array.isArray(parsed)) throw new Error(`The archive has no list in ${file}.`);
    return parsed.map(jsonOf);
  }

  /** The value of a file of JSON; undefined if it is not JSON, or too long. */
  async #parse(name: string): Promise<unknown> {
    if ((this.#archive.size(name) ?? 0) > mostBytes) return undefined;
    const bytes = await this.#archive.read(name, mostBytes);
    try {
      return JSON.parse(bytes.toString('utf8').replace(/^\ufeff/, ''));
    } catch {
      return undefined;
    }
  }
}

const roomLists = [
  { file: 'channels.json', kind: 'public' },
  { file: 'groups.json', kind: 'private' },
  { file: 'mpims.json', kind: 'direct' },
  { file: 'dms.json', kind: 'direct' },
] as const;
