import { open, stat } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { type Archive, broken, isTooDense } from '../archive/archive.ts';
import { type BsonDocument, documentsOf, parseBson } from '../archive/bson.ts';
import type { Spool } from '../archive/spool.ts';
import { SpooledSource } from '../archive/spooled-source.ts';
import { openSpooled } from '../archive/tree.ts';
import { type Json, jsonOf, listOf, numberOf, textOf } from '../json.ts';
import type { Source, SourceFile, SourceItem, SourcePerson, SourceRoom, UsernameOf } from '../source.ts';
import { GridFiles } from './grid-files.ts';
import { dateOf, readMessage } from './messages.ts';

/*
 * The database of Rocket.Chat in the format of `mongodump`, with a file for each collection.
 * Rocket.Chat does not have another complete export. Messages are read twice: once to find the
 * place of each, and again room by room.
 */

/** Opens a dump, as a directory or packed; throws an error for anything else. */
export async function openRocketChat(path: string): Promise<Source> {
  if (await isMongoArchive(path))
    throw broken(path, 'is an archive of mongodump --archive: dump into a directory instead, with mongodump --out');
  return openSpooled(path, isWanted, async (archive, spool) => {
    const root = archive.names
      .filter((name) => isMessages.test(name))
      .map((name) => name.replace(/[^/]+$/, ''))
      .sort((one, other) => one.length - other.length)[0];
    if (root === undefined) throw broken(path, 'is not a dump of Rocket.Chat: it has no rocketchat_message.bson');
    const source = new RocketChatDump(archive, root, spool);
    await source.readIndex(path);
    return source;
  });
}

const isWanted = (name: string): boolean =>
  /(^|\/)(users|rocketchat_(message|room|subscription|uploads|uploads\.chunks))\.bson(\.gz)?$/.test(name);
const isMessages = /(^|\/)rocketchat_message\.bson(\.gz)?$/;

async function isMongoArchive(path: string): Promise<boolean> {
  if (!(await stat(path)).isFile()) return false;
  const file = await open(path);
  const { buffer } = await file.read(Buffer.alloc(4), 0, 4, 0).finally(() => file.close());
  return buffer.readUInt32LE(0) === 0x8199e26d;
}

type Room = { id: string; room: Json; members: Set<string>; owner?: string };

class RocketChatDump extends SpooledSource implements Source {
  readonly name = 'rocketchat';
  readonly #people = new Map<string, SourcePerson>();
  /** The ids of people by username in lower case. */
  readonly #ids = new Map<string, string>();
  readonly #rooms = new Map<string, Room>();
  readonly #uploads = new Map<string, { name: string | undefined; type: string | undefined; size: number | undefined }>();
  readonly #files: GridFiles;
  readonly #threads = new Map<string, Date>();

  constructor(archive: Archive, root: string, spool: Spool) {
    super(archive, root, spool);
    this.#files = new GridFiles(spool);
  }

  /** Reads the whole dump once. */
  async readIndex(path: string): Promise<void> {
    const read = async (collection: string, note: (document: Json, bytes: Buffer) => void) => {
      for await (const { document, bytes } of this.#documents(path, collection))
        if (document) note(document, bytes);
        else {
          if (bytes.length === 0) this.cutOff ??= `${collection} is cut off`;
          this.broken.push({ leftOut: 'not BSON, cut off, or too long', kind: 'pages', raw: { collection } });
        }
    };
    await read('users', (user) => this.#notePerson(user));
    await read('rocketchat_room', (room) => this.#noteRoom(room));
    await read('rocketchat_subscription', (subscription) => this.#noteMember(subscription));
    await read('rocketchat_uploads', ({ _id, name, type, size }) => {
      const id = textOf(_id);
      if (id !== undefined) this.#uploads.set(id, { name: textOf(name), type: textOf(type), size: numberOf(size) });
    });
    await read('rocketchat_uploads.chunks', (chunk) => void this.#files.add(chunk));
    await read('rocketchat_message', (message, bytes) => this.#noteMessage(message, bytes));
    this.posts.sort();
  }

  async *#documents(path: string, collection: string): AsyncGenerator<BsonDocument> {
    const names = ['', '.gz'].map((ending) => `${this.root}${collection}.bson${ending}`);
    const name = names.find((one) => this.archive.size(one) !== undefined);
    if (name === undefined) return;
    const bytes = await this.archive.stream(name);
    try {
      yield* documentsOf(name.endsWith('.gz') ? unpacked(bytes, path, this.archive.size(name) ?? 0) : bytes);
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && String(error.code).startsWith('Z_'))) throw error;
      yield { document: undefined, bytes: Buffer.alloc(0) };
    }
  }

  #notePerson(user: Json): void {
    const [id, username] = [textOf(user._id), textOf(user.username)];
    if (id === undefined) return;
    const [email] = listOf(user.emails).flatMap((one) => textOf(jsonOf(one).address) ?? []);
    const isBot = user.type === 'bot' || user.type === 'app';
    const roles = listOf(user.roles);
    this.#people.set(id, {
      id,
      username: username ?? id,
      name: textOf(user.name),
      email: isBot ? undefined : email,
      isBot,
      isActive: user.active !== false,
      // Users have the rights of all their roles.
      isGuest: roles.includes('guest') && !roles.includes('user') && !roles.includes('admin'),
    });
    if (username !== undefined) this.#ids.set(username.toLowerCase(), id);
  }

  #noteRoom(room: Json): void {
    const id = textOf(room._id);
    if (id === undefined) return;
    const members = new Set(room.t === 'd' ? listOf(room.uids).flatMap((one) => textOf(one) ?? []) : []);
    // Older versions have only usernames.
    if (room.t === 'd' && members.size === 0)
      for (const name of listOf(room.usernames)) {
        const member = this.#ids.get((textOf(name) ?? '').toLowerCase());
        if (member !== undefined) members.add(member);
      }
    this.#rooms.set(id, { id, room, members });
  }

  #noteMember({ rid, u, roles }: Json): void {
    const [room, user] = [this.#rooms.get(textOf(rid) ?? ''), textOf(jsonOf(u)._id)];
    if (!room || user === undefined || (room.room.t === 'd' && room.members.size > 1)) return;
    room.members.add(user);
    if (listOf(roles).includes('owner')) room.owner ??= user;
  }

  #noteMessage(message: Json, bytes: Buffer): void {
    const [id, at, room] = [textOf(message._id), dateOf(message.ts), textOf(message.rid) ?? ''];
    if (id !== undefined && at && message.tcount !== undefined) this.#threads.set(id, at);
    this.addPost(room, at?.getTime() ?? 0, bytes);
    if (!this.#rooms.has(room)) this.#rooms.set(room, { id: room, room: {}, members: new Set() });
  }

  async *people(): AsyncGenerator<SourcePerson> {
    yield* this.#people.values();
  }

  /** The teams that everybody can see: those with an open main room. */
  #openTeams(): Set<string | undefined> {
    const mains = [...this.#rooms.values()].filter(({ room }) => room.teamMain === true && room.t === 'c');
    return new Set(mains.map(({ room }) => textOf(room.teamId)));
  }

  async *rooms(): AsyncGenerator<SourceRoom> {
    const openTeams = this.#openTeams();
    for (const { id, room, members, owner } of this.#rooms.values()) {
      const [kind, team] = [textOf(room.t) ?? '', textOf(room.teamId)];
      // The room is open, but only members of the team can see it.
      const isOfTeamAlone = kind === 'c' && team !== undefined && !openTeams.has(team);
      yield {
        id,
        kind: (isOfTeamAlone ? undefined : kinds.get(kind)) ?? 'private',
        name: textOf(room.fname)?.trim() || textOf(room.name)?.trim() || id,
        topic: [room.topic, room.description, room.announcement].map(textOf).find((one) => one?.trim()) ?? '',
        members: [...members],
        owner: owner ?? textOf(jsonOf(room.u)._id),
        createdAt: dateOf(room.ts),
        isArchived: room.archived === true,
        ...(!kinds.has(kind) && { leftOut: kind === '' ? 'not listed in the archive' : 'a conversation with customers' }),
        messages: (usernameOf) => this.#messages(id, usernameOf),
      };
    }
  }

  async *#messages(room: string, usernameOf: UsernameOf): AsyncGenerator<SourceItem> {
    const context = {
      room,
      usernameOf,
      idOf: (username: string) => this.#ids.get(username.toLowerCase()),
      threadAt: (id: string) => this.#threads.get(id),
      fileOf: this.#fileOf,
    };
    for await (const bytes of this.postsOf(room)) yield readMessage(parseBson(bytes) ?? {}, context);
  }

  /** The file of an upload. If it is incomplete, only its name. */
  #fileOf = (id: string, called: string): SourceFile => {
    const { name = called, type, size } = this.#uploads.get(id) ?? {};
    const found = this.#files.find(id);
    const file = { id, name, type };
    return found && (size === undefined || size === found.size) ? { ...file, ...found } : file;
  };
}

const kinds: ReadonlyMap<string, SourceRoom['kind']> = new Map([
  ['c', 'public'],
  ['p', 'private'],
  ['d', 'direct'],
]);

/** Decompresses gzip, and fails for a bomb. */
async function* unpacked(bytes: Readable, path: string, packed: number): AsyncGenerator<Buffer> {
  let size = 0;
  const gunzip = createGunzip();
  bytes.on('error', (error) => gunzip.destroy(error));
  try {
    for await (const chunk of bytes.pipe(gunzip) as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (isTooDense(packed, size)) throw broken(path, 'unpacks to too much');
      yield chunk;
    }
  } finally {
    bytes.destroy();
  }
}
