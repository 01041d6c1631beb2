import { broken } from '../archive/archive.ts';
import { recordsOf } from '../archive/json-tables.ts';
import { SpooledSource } from '../archive/spooled-source.ts';
import { openSpooled } from '../archive/tree.ts';
import { type Json, jsonOf, textOf } from '../json.ts';
import type { ArchiveFile, Source, SourceItem, SourcePerson, SourceRoom, UsernameOf } from '../source.ts';
import { dateOf, readMessage } from './messages.ts';
import { realmTables, toStream, ZulipRealm } from './realm.ts';

/*
 * The export of a Zulip organisation. `realm.json` has tables of everything but messages. These are
 * in files of a thousand each, for all rooms together. `uploads/` has the files. Messages are read
 * twice, as for Mattermost: once to find the place of each, and again room by room.
 */

/** Opens an export of Zulip, packed or as a directory; throws an error for anything else. */
export const openZulip = (path: string): Promise<Source> =>
  openSpooled(path, isWanted, async (archive, spool) => {
    const realms = archive.names.filter((name) => /(^|\/)realm\.json$/.test(name));
    const root = realms.sort((one, other) => one.length - other.length)[0]?.replace(/realm\.json$/, '');
    if (root === undefined) throw broken(path, 'is not an export of Zulip: it has no realm.json');
    const source = new ZulipExport(archive, root, spool);
    if (!(await source.readIndex())) throw broken(path, 'is not an export of Zulip: its realm.json has no tables');
    return source;
  });

const isWanted = (name: string): boolean => /(^|\/)(realm\.json|messages-\d+\.json|uploads\/.+)$/.test(name);

const isMessages = /(^|\/)messages-(\d+)\.json$/;

/** Some versions write reactions with the messages, not in the organisation's tables. */
const messageTables = ['zerver_message', 'zerver_reaction'] as const;

/**
 * The evidence that message files are missing. Zulip numbers them from 1, and renames them when
 * they are complete.
 */
function lackOf(files: string[], unread: ArchiveFile[]): string | undefined {
  const numbers = new Set(files.map((name) => Number(isMessages.exec(name)?.[2])));
  const missing = Array.from({ length: Math.max(0, ...numbers) }, (_, index) => index + 1).find((one) => !numbers.has(one));
  if (missing !== undefined) return `it has no messages-${String(missing).padStart(6, '0')}.json, and later ones`;
  const partial = unread
    .map(({ name }) => /messages-(\d+)\.json\.partial$/.exec(name))
    .find((found) => found && !numbers.has(Number(found[1])));
  return partial ? `it has ${partial[0]}, because the export did not end` : undefined;
}

class ZulipExport extends SpooledSource implements Source {
  readonly name = 'zulip';
  readonly #realm = new ZulipRealm();

  /** Reads the whole export once; returns false for other data. */
  async readIndex(): Promise<boolean> {
    let count = 0;
    for await (const { table, record } of recordsOf(await this.archive.stream(`${this.root}realm.json`), realmTables)) {
      if (record) {
        this.#realm.note(table, record);
        count++;
      } else this.#leaveOut('realm.json', table);
    }
    if (count === 0) return false;
    const files = this.archive.names.filter((name) => isMessages.test(name) && name.startsWith(this.root));
    // Each file is read to its end, which also shows that it is complete.
    for (const file of files.sort())
      for await (const { table, record } of recordsOf(await this.archive.stream(file), messageTables))
        if (!record) this.#leaveOut(file.slice(this.root.length), table);
        else if (table === 'zerver_message') this.#noteMessage(record);
        else this.#realm.note(table, record);
    this.cutOff ??= lackOf(files, this.archive.unread());
    this.#realm.reactions.sort();
    this.posts.sort();
    return true;
  }

  #leaveOut(file: string, table: string): void {
    if (table === '') this.cutOff ??= `${file} is cut off`;
    this.broken.push({ leftOut: 'not JSON, cut off, or too long', kind: 'pages', raw: { file, table } });
  }

  #noteMessage(record: Json): void {
    const { rendered_content: _, search_tsvector: __, ...message } = record;
    const { key } = this.#realm.roomOf(message);
    const at = (dateOf(message.date_sent ?? message.pub_date)?.getTime() ?? 0) || 0;
    this.addPost(key, at, Buffer.from(JSON.stringify(message)));
  }

  async *people(): AsyncGenerator<SourcePerson> {
    yield* this.#realm.people.values();
  }

  async *rooms(): AsyncGenerator<SourceRoom> {
    const recipientOf = new Map(
      [...this.#realm.recipients].flatMap(([id, { type, of }]) => (type === toStream ? [[of, id]] : [])),
    );
    for (const [id, stream] of this.#realm.streams) {
      const isPrivate = stream.invite_only === true;
      yield {
        id: `stream ${id}`,
        kind: isPrivate ? 'private' : 'public',
        // Earlier versions mark archived channels by their names.
        name:
          textOf(stream.name)
            ?.replace(/^!+DEACTIVATED:/, '')
            .trim() || `channel ${id}`,
        topic: textOf(stream.description)?.replaceAll(/\s+/g, ' ').trim() ?? '',
        members: (this.#realm.subscribers.get(recipientOf.get(id) ?? -1) ?? []).map(String),
        owner: textOf(stream.creator) ?? undefined,
        createdAt: dateOf(stream.date_created),
        isArchived: stream.deactivated === true,
        ...(isPrivate && stream.history_public_to_subscribers === false && { note: protectedHistory }),
        messages: (usernameOf) => this.#messages(`stream ${id}`, new Map(), usernameOf),
      };
    }
    for (const { key, kind, members } of this.#realm.others.values())
      yield {
        id: key,
        kind: 'direct',
        name: key,
        topic: '',
        members: members.map(String),
        isArchived: false,
        ...(kind === 'unknown' && { leftOut: 'not listed in the archive' }),
        ...(members.some((one) => this.#realm.systemBots.has(String(one))) && { leftOut: 'with a program of the server' }),
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
        const found = id ?? this.#realm.idByName.get(name);
        return found === undefined ? undefined : usernameOf(found);
      },
      emojiOf: this.#realm.reactions.emojiOf,
      authorOf: this.#authorOf,
      reactionsOf: (message: number) => this.#realm.reactions.of(message),
      fileAt: this.#fileAt,
    };
    for await (const bytes of this.postsOf(key)) yield readMessage(jsonOf(JSON.parse(bytes.toString('utf8'))), context);
  }

  #authorOf = (id: string) => {
    const bot = this.#realm.systemBots.get(id);
    const { isBot = bot !== undefined, username = bot, name } = this.#realm.people.get(id) ?? {};
    // These bots report events. The gateway forwards messages that people have written.
    return { id, username, name, isBot, isOfSystem: bot === 'notification-bot' || bot === 'welcome-bot' };
  };

  #fileAt = (path: string) => {
    const name = `${this.root}uploads/${path}`;
    const size = this.archive.size(name);
    return size === undefined ? undefined : { size, open: () => this.archive.stream(name) };
  };
}

const protectedHistory = 'private rooms in which new members could not read what was older, and can here';
