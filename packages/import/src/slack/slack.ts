import { basename } from 'node:path/posix';
import { parseJson } from 'chat-service-rules/objects';
import { type Archive, broken } from '../archive/archive.ts';
import { withoutRoot } from '../archive/entries.ts';
import { openTree } from '../archive/tree.ts';
import { type Json, jsonOf, listOf, numberOf, textOf } from '../json.ts';
import type { ArchiveFile, LeftOut, Source, SourceItem, SourcePerson, SourceRoom, UsernameOf } from '../source.ts';
import type { SlackFiles } from './files.ts';
import { type Folder, isNeverListed, type ListedRoom, rootsOf, type Section, SlackFolders, sectionsOf } from './folders.ts';
import { type Pins, pinsOf, readMessage, timeOf } from './messages.ts';
import { mergePeople } from './people.ts';
import { dateOf, firstText, isSaid, kindOf, personOf, quoted } from './records.ts';
import { SlackUploads } from './uploads.ts';

/*
 * The archive that Slack exports. `users.json` has the people. `channels.json`, `groups.json`,
 * `dms.json` and `mpims.json` have the rooms that the exporting person could see. Each room has a
 * folder, with a file for each day. Enterprise Grid has `org_users.json`, and all of this for each
 * workspace in `teams/`. Fields may be missing or unknown. Only the used ones are read, and none of
 * them stops an import.
 */

/** The most bytes of one file, which is read as a whole. */
const mostBytes = 64 * 1024 * 1024;

type SlackOptions = {
  /** The source of files that are only in the archive as addresses. */
  files?: SlackFiles | undefined;
  /** True to skip folders that are not in a list, although listed channels lack folders. */
  skipsUnlisted?: boolean;
};

/**
 * Opens an export of Slack, packed or as a directory. Throws an error for other files, and for an
 * export whose channels and folders do not match.
 */
export async function openSlack(path: string, options: SlackOptions = {}): Promise<Source> {
  const archive = await openTree(path, () => true);
  try {
    const [root, another] = rootsOf(archive);
    if (root === undefined) throw broken(path, 'is not an export of Slack: it has neither users.json nor channels.json');
    if (another !== undefined)
      throw broken(path, `has more than one export: ${root}, ${another}. Import each of them by itself, with --workspace`);
    const source = new SlackArchive(archive, sectionsOf(archive, root), options.files);
    await source.readLists();
    const fault = options.skipsUnlisted ? undefined : source.faultOfFolders();
    if (fault !== undefined) throw broken(path, fault);
    return source;
  } catch (error) {
    await archive.close();
    throw error;
  }
}

type Channel = ListedRoom & { channel: Json; kind: SourceRoom['kind'] };

class SlackArchive implements Source {
  readonly name = 'slack';
  readonly #archive: Archive;
  readonly #sections: Section[];
  readonly #files: SlackFiles | undefined;
  readonly #folders: SlackFolders;
  readonly #uploads: SlackUploads;
  #channels: Channel[] = [];
  #foldersOf: ReadonlyMap<ListedRoom, Folder[]> = new Map();
  #unlisted: Folder[] = [];
  readonly #channelNames = new Map<string, string>();
  /** The ids of bots' users. */
  readonly #userOfBot = new Map<string, string>();
  readonly #broken: LeftOut[] = [];
  #done = 0;
  #all = 0;
  cutOff: string | undefined;

  constructor(archive: Archive, sections: Section[], files: SlackFiles | undefined) {
    this.#archive = archive;
    this.#sections = sections;
    this.#files = files;
    this.#folders = new SlackFolders(archive, sections);
    this.#uploads = new SlackUploads(archive);
  }

  progress = () => ({ done: this.#done, all: this.#all });

  unreadable = (): LeftOut[] => this.#broken;

  unread = (): ArchiveFile[] => withoutRoot(this.#archive.unread(), this.#sections[0]?.prefix ?? '');

  close = async () => {
    await this.#files?.close();
    await this.#archive.close();
  };

  /** Reads the lists of rooms, and finds their folders. */
  async readLists(): Promise<void> {
    const known = new Map<string, Channel>();
    for (const section of this.#sections)
      for (const { file, kind } of roomLists)
        for (const channel of await this.#list(section.prefix + file)) {
          const [id, name] = [textOf(channel.id) ?? textOf(channel.name), textOf(channel.name)];
          if (id === undefined) this.#broken.push({ leftOut: 'without an id and a name', kind: 'rooms', raw: channel });
          else if (known.has(id)) known.get(id)?.sections.push(section);
          else known.set(id, { id, name, sections: [section], channel, kind: kindOf(channel, kind) });
          if (id !== undefined && name !== undefined) this.#channelNames.set(id, name);
        }
    this.#channels = [...known.values()];
    const { foldersOf, unlisted } = this.#folders.match(this.#channels);
    this.#foldersOf = foldersOf;
    this.#unlisted = unlisted;
    const days = [...foldersOf.values(), unlisted].flat().flatMap((folder) => folder.days);
    this.#all = days.length;
    for (const day of days) if (await this.#isCutOff(day)) this.cutOff ??= `${day} is cut off`;
  }

  /** True if a file of messages is truncated. */
  async #isCutOff(day: string): Promise<boolean> {
    if ((this.#archive.size(day) ?? 0) > mostBytes) return false;
    const bytes = await this.#archive.read(day, mostBytes);
    const [start, end] = [bytes.subarray(0, 100), bytes.subarray(-100)].map((some) => some.toString('latin1').trim());
    return /^(\xef\xbb\xbf)?\s*\[/.test(start ?? '') && !end?.endsWith(']');
  }

  /**
   * The error if listed channels lack folders and folders lack channels: nothing shows which belong
   * together.
   */
  faultOfFolders(): string | undefined {
    const empty = this.#channels.filter((room) => room.kind !== 'direct' && this.#foldersOf.get(room)?.length === 0);
    const strange = this.#unlisted.filter((folder) => !isNeverListed(folder));
    if (empty.length === 0 || strange.length === 0) return undefined;
    const channels = quoted(empty.map(({ name, id }) => name ?? id));
    return `lists channels without a folder (${channels}) and has folders that no list names (${quoted(
      strange.map(({ prefix, name }) => prefix + name),
    )}): give these folders the names of their channels, or pass --skip-unlisted to leave them out`;
  }

  async *people(): AsyncGenerator<SourcePerson> {
    const [root] = this.#sections;
    const ofOrganisation = await this.#peopleIn(`${root?.prefix ?? ''}org_users.json`);
    const ofWorkspaces: SourcePerson[][] = [];
    for (const { prefix } of this.#sections) ofWorkspaces.push(await this.#peopleIn(`${prefix}users.json`));
    yield* mergePeople(ofOrganisation, ofWorkspaces);
  }

  async #peopleIn(file: string): Promise<SourcePerson[]> {
    const people: SourcePerson[] = [];
    for (const user of await this.#list(file)) {
      const person = personOf(user);
      if (!person) {
        this.#broken.push({ leftOut: 'without an id', kind: 'people', raw: user });
        continue;
      }
      people.push(person);
      const bot = textOf(jsonOf(user.profile).bot_id);
      if (bot !== undefined) this.#userOfBot.set(bot, person.id);
    }
    return people;
  }

  async *rooms(): AsyncGenerator<SourceRoom> {
    const counts = new Map<string | undefined, number>();
    for (const { name } of this.#channels) counts.set(name, (counts.get(name) ?? 0) + 1);
    for (const room of this.#channels) {
      const { id, name = id, sections, channel, kind } = room;
      const created = numberOf(channel.created);
      const [{ team } = {}] = sections;
      yield {
        id,
        kind,
        name: team !== undefined && (counts.get(name) ?? 0) > 1 ? `${name} (${team})` : name,
        topic: firstText(jsonOf(channel.topic).value, jsonOf(channel.purpose).value) ?? '',
        members: [...listOf(channel.members), channel.user].flatMap((member) => textOf(member) ?? []),
        owner: textOf(channel.creator),
        createdAt: created === undefined ? undefined : dateOf(created * 1000),
        isArchived: isSaid(channel.is_archived),
        messages: (usernameOf) => this.#messages(id, pinsOf(channel), this.#foldersOf.get(room) ?? [], usernameOf),
      };
    }
    for (const folder of this.#unlisted)
      yield {
        ...{ id: folder.prefix + folder.name, kind: 'private', name: folder.name, topic: '', members: [], isArchived: false },
        leftOut: 'not listed in the archive',
        messages: (usernameOf) => this.#messages(folder.name, new Map(), [folder], usernameOf),
      };
  }

  async *#messages(channel: string, pins: Pins, folders: Folder[], usernameOf: UsernameOf): AsyncGenerator<SourceItem> {
    const days = Map.groupBy(
      folders.flatMap((folder) => folder.days),
      (day) => basename(day),
    );
    const [channelNames, userOfBot, files, uploads] = [this.#channelNames, this.#userOfBot, this.#files, this.#uploads];
    const context = { channel, pins, usernameOf, channelNames, userOfBot, files, uploads };
    for (const day of [...days.keys()].sort()) {
      let messages: unknown[] = [];
      for (const path of days.get(day) ?? []) {
        const parsed = await this.#parse(path);
        this.#done++;
        if (Array.isArray(parsed)) messages = messages.concat(parsed);
        else yield { leftOut: parsed === undefined ? notJson : 'not a list of messages', kind: 'pages', raw: path };
      }
      // In most files, the messages are in the order of their times.
      const times = new Map(messages.map((message) => [message, timeOf(jsonOf(message).ts)?.getTime() ?? 0]));
      messages.sort((one, other) => (times.get(one) ?? 0) - (times.get(other) ?? 0));
      for (const message of messages) yield readMessage(message, context);
    }
  }

  async #list(file: string): Promise<Json[]> {
    if (this.#archive.size(file) === undefined) return [];
    const parsed = await this.#parse(file);
    if (!Array.isArray(parsed)) throw new Error(`The archive has no list in ${file}.`);
    return parsed.map(jsonOf);
  }

  /** The value of a JSON file; undefined if it is not JSON or too long. */
  async #parse(name: string): Promise<unknown> {
    if ((this.#archive.size(name) ?? 0) > mostBytes) return undefined;
    const bytes = await this.#archive.read(name, mostBytes);
    return parseJson(bytes.toString('utf8').replace(/^\ufeff/, ''));
  }
}

const notJson = 'not JSON, or too long';

const roomLists = [
  { file: 'channels.json', kind: 'public' },
  { file: 'groups.json', kind: 'private' },
  { file: 'mpims.json', kind: 'direct' },
  { file: 'dms.json', kind: 'direct' },
] as const;
