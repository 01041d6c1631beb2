import { type Archive, broken } from './archive.ts';
import { type Json, jsonOf, numberOf, textOf } from './json.ts';
import { recordsOf } from './json-tables.ts';
import { PostIndex } from './post-index.ts';
import type { LeftOut, Source, SourceItem, SourcePerson, SourceRoom, UsernameOf } from './source.ts';
import { Spool } from './spool.ts';
import { openTree } from './tree.ts';
import { dateOf, readMessage } from './zulip-messages.ts';
import { ZulipReactions } from './zulip-reactions.ts';

/*
 * The export of a Zulip organisation: `realm.json` with tables of everything but messages, which are in files of a
 * thousand each, of all rooms together; and the files of `uploads/`. Messages are read twice, as those of Mattermost are:
 * once to know where each of them is, and again room by room.
 */

/** Opens an export of Zulip, packed or as a directory; an error for anything else. */
export async function openZulip(path: string): Promise<Source> {
  const archive = await openTree(path, isWanted);
  let spool: Spool | undefined;
  try {
    const root = archive.names.find((name) => /^([^/]+\/)?realm\.json$/.test(name))?.replace('realm.json', '');
    if (root === undefined) throw broken(path, 'is not an export of Zulip: it has no realm.json');
    spool = await Spool.create();
    const source = new ZulipExport(archive, root, spool);
    if (!(await source.readIndex())) throw broken(path, 'is not an export of Zulip: its realm.json has no tables');
    return source;
  } catch (error) {
    await spool?.close();
    await archive.close();
    throw error;
  }
}

const isWanted = (name: string): boolean => /^([^/]+\/)?(realm\.json|messages-\d+\.json|uploads\/.+)$/.test(name);

const tables = [
  ...['zerver_userprofile', 'zerver_userprofile_mirrordummy', 'zerver_userprofile_crossrealm', 'zerver_stream'],
  ...['zerver_recipient', 'zerver_subscription', 'zerver_reaction'],
] as const;

/** What a message is for, by the numbers that Zulip has. */
const [toPerson, toStream, toGroup] = [1, 2, 3];

type Room = { key: string; kind: 'direct' | 'stream' | 'unknown'; members: number[] };

class ZulipExport implements Source {
  readonly name = 'zulip';
  readonly #archive: Archive;
  readonly #root: string;
  readonly #spool: Spool;
  readonly #people = new Map<string, SourcePerson>();
  /** Undefined for a name that several people have. */
  readonly #idByName = new Map<string, string | undefined>();
  /** The programs of the server itself, by their ids. */
  readonly #systemBots = new Map<string, string>();
  readonly #streams = new Map<number, Json>();
  readonly #recipients = new Map<number, { type: number; of: number }>();
  readonly #subscribers = new Map<number, number[]>();
  readonly #reactions = new ZulipReactions();
  readonly #posts = new PostIndex();
  /** The rooms of the messages other than channels, by their keys. */
  readonly #others = new Map<string, Room>();
  readonly #broken: LeftOut[] = [];
  #done = 0;

  constructor(archive: Archive, root: string, spool: Spool) {
    this.#archive = archive;
    this.#root = root;
    this.#spool = spool;
  }

  progress = () => ({ done: this.#done, all: this.#posts.count });

  close = async () => {
    await this.#spool.close();
    await this.#archive.close();
  };

  unreadable = (): LeftOut[] => this.#broken;

  /** Reads everything once; false for what is something else. */
  async readIndex(): Promise<boolean> {
    let count = 0;
    for await (const { table, record } of recordsOf(await this.#archive.stream(`${this.#root}realm.json`), tables)) {
      if (record) {
        this.#note(table, record);
        count++;
      } else if (table !== '' || count === 0) this.#leaveOut('realm.json', table);
    }
    if (count === 0) return false;
    this.#reactions.sort();
    const files = this.#archive.names.filter((name) => /messages-\d+\.json$/.test(name) && name.startsWith(this.#root));
    for (const file of files.sort())
      for await (const { table, record } of recordsOf(await this.#archive.stream(file), ['zerver_message']))
        if (record) this.#noteMessage(record);
        else this.#leaveOut(file.slice(this.#root.length), table);
    this.#posts.sort();
    return true;
  }

  #leaveOut(file: string, table: string): void {
    this.#broken.push({ leftOut: 'not JSON, cut off, or too long', kind: 'pages', raw: { file, table } });
  }

  #note(table: string, record: Json): void {
    switch (table) {
      case 'zerver_userprofile':
      case 'zerver_userprofile_mirrordummy':
        this.#notePerson(record);
        break;
      case 'zerver_userprofile_crossrealm': {
        const [id, email] = [textOf(record.id), textOf(record.email)];
        if (id !== undefined) this.#systemBots.set(id, email?.replace(/@.*/, '') || 'zulip');
        break;
      }
      case 'zerver_stream': {
        const id = numberOf(record.id);
        if (id !== undefined) this.#streams.set(id, record);
        break;
      }
      case 'zerver_recipient': {
        const [id, type, of] = [numberOf(record.id), numberOf(record.type), numberOf(record.type_id)];
        if (id !== undefined && type !== undefined && of !== undefined) this.#recipients.set(id, { type, of });
        break;
      }
      case 'zerver_subscription': {
        const [recipient, user] = [numberOf(record.recipient), numberOf(record.user_profile)];
        if (recipient === undefined || user === undefined || record.active === false) break;
        const found = this.#subscribers.get(recipient);
        if (found) found.push(user);
        else this.#subscribers.set(recipient, [user]);
        break;
      }
      default:
        this.#reactions.add(record);
    }
  }

  #notePerson(user: Json): void {
    const [id, name] = [textOf(user.id), textOf(user.full_name)?.trim()];
    if (id === undefined) return;
    const isBot = user.is_bot === true;
    const email = [user.delivery_email, user.email].map(textOf).find((one) => one && !isHidden.test(one));
    this.#people.set(id, {
      id,
      // There are no usernames. That of an address could say what somebody hides.
      username: (isBot ? email?.replace(/@.*/, '') : name?.toLowerCase().replaceAll(/\s+/g, '.')) || `zulip-${id}`,
      name,
      email: isBot ? undefined : email,
      isBot,
      isActive: user.is_active !== false && user.is_mirror_dummy !== true,
    });
    if (name) this.#idByName.set(name, this.#idByName.has(name) ? undefined : id);
  }

  #noteMessage(record: Json): void {
    const { rendered_content: _, search_tsvector: __, ...message } = record;
    const { key } = this.#roomOf(message);
    const at = (dateOf(message.date_sent ?? message.pub_date)?.getTime() ?? 0) || 0;
    this.#posts.add(key, { at, ...this.#spool.append(Buffer.from(JSON.stringify(message))), reply: -1 });
  }

  /** The room of a message. People who write to each other have one, however each of the messages was addressed. */
  #roomOf(message: Json): Room {
    const to = numberOf(message.recipient) ?? -1;
    const { type, of } = this.#recipients.get(to) ?? { type: 0, of: 0 };
    if (type === toStream && this.#streams.has(of)) return { key: `stream ${of}`, kind: 'stream', members: [] };
    let room: Room = { key: `recipient ${to}`, kind: 'unknown', members: [] };
    if (type === toPerson || type === toGroup) {
      const all = type === toPerson ? [of, numberOf(message.sender) ?? of] : (this.#subscribers.get(to) ?? []);
      const members = [...new Set(all)].sort((one, other) => one - other);
      if (members.length > 0) room = { key: `direct ${members.join(' ')}`, kind: 'direct', members };
    }
    const known = this.#others.get(room.key);
    if (known) return known;
    this.#others.set(room.key, room);
    return room;
  }

  async *people(): AsyncGenerator<SourcePerson> {
    yield* this.#people.values();
  }

  async *rooms(): AsyncGenerator<SourceRoom> {
    const recipientOf = new Map([...this.#recipients].flatMap(([id, { type, of }]) => (type === toStream ? [[of, id]] : [])));
    for (const [id, stream] of this.#streams) {
      const isPrivate = stream.invite_only === true;
      yield {
        id: `stream ${id}`,
        kind: isPrivate ? 'private' : 'public',
        name: textOf(stream.name)?.trim() || `channel ${id}`,
        topic: textOf(stream.description)?.replaceAll(/\s+/g, ' ').trim() ?? '',
        members: (this.#subscribers.get(recipientOf.get(id) ?? -1) ?? []).map(String),
        owner: textOf(stream.creator) ?? undefined,
        createdAt: dateOf(stream.date_created),
        isArchived: stream.deactivated === true,
        ...(isPrivate && stream.history_public_to_subscribers === false && { note: protectedHistory }),
        messages: (usernameOf) => this.#messages(`stream ${id}`, new Map(), usernameOf),
      };
    }
    for (const { key, kind, members } of this.#others.values())
      yield {
        id: key,
        kind: 'direct',
        name: key,
        topic: '',
        members: members.map(String),
        isArchived: false,
        ...(kind === 'unknown' && { leftOut: 'not listed in the archive' }),
        ...(members.some((one) => this.#systemBots.has(String(one))) && { leftOut: 'with a program of the server' }),
        messages: (usernameOf) => this.#messages(key, undefined, usernameOf),
      };
  }

  async *#messages(
    key: string,
    topics: Map<string, { id: string; at: Date }> | undefined,
    usernameOf: UsernameOf,
  ): AsyncGenerator<SourceItem> {
    const context = {
      room: key,
      topics,
      usernameOf: (id: string | undefined, name: string) => {
        const found = id ?? this.#idByName.get(name);
        return found === undefined ? undefined : usernameOf(found);
      },
      emojiOf: this.#reactions.emojiOf,
      authorOf: this.#authorOf,
      reactionsOf: (message: number) => this.#reactions.of(message),
      fileAt: this.#fileAt,
    };
    for (const { offset, length } of this.#posts.of(key)) {
      this.#done++;
      yield readMessage(jsonOf(JSON.parse((await this.#spool.read({ offset, length })).toString('utf8'))), context);
    }
  }

  #authorOf = (id: string) => {
    const bot = this.#systemBots.get(id);
    const { isBot = bot !== undefined, username = bot, name } = this.#people.get(id) ?? {};
    // They say what has happened; the gateway passes on what somebody has written.
    return { id, username, name, isBot, isOfSystem: bot === 'notification-bot' || bot === 'welcome-bot' };
  };

  #fileAt = (path: string) => {
    const name = `${this.#root}uploads/${path}`;
    const size = this.#archive.size(name);
    return size === undefined ? undefined : { size, open: () => this.#archive.stream(name) };
  };
}

/** An address that stands in for one that its owner hides. */
const isHidden = /^user\d+@/;

const protectedHistory = 'private rooms in which new members could not read what was older, and can here';
