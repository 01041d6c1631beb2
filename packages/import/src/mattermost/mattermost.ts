import { type FileHandle, open } from 'node:fs/promises';
import { basename } from 'node:path/posix';
import { withoutRoot } from '../archive/entries.ts';
import { linesOf } from '../archive/lines.ts';
import { entryName } from '../archive/names.ts';
import { PostIndex } from '../archive/post-index.ts';
import { type Json, jsonOf, listOf, numberOf, textOf } from '../json.ts';
import type { ArchiveFile, LeftOut, Source, SourceFile, SourceItem, SourcePerson, SourceRoom, UsernameOf } from '../source.ts';
import { type MattermostFiles, openMattermostFiles } from './files.ts';
import { PostLines, parseLine } from './post-lines.ts';
import { dateOf, readPost } from './posts.ts';

/*
 * The bulk export of Mattermost: one JSON line per item, as a file or as `import.jsonl` in an
 * archive with the files. Posts are ordered by their random ids. So they are read twice: once to
 * find the place of each, and again in the order of their times. Items do not have ids. People are
 * identified by username, rooms by team and name, and messages by author, room and time.
 */

/** Opens an export of Mattermost; throws an error for other files. */
export async function openMattermost(path: string): Promise<Source> {
  const files = await openMattermostFiles(path);
  let file: FileHandle | undefined;
  try {
    file = await open(files.path);
    const source = new MattermostExport(file, files);
    await source.readIndex();
    return source;
  } catch (error) {
    await file?.close();
    await files.close();
    throw error;
  }
}

type Channel = { key: string; kind: SourceRoom['kind']; channel: Json; members: Set<string>; owner?: string };

class MattermostExport implements Source {
  readonly name = 'mattermost';
  readonly #file: FileHandle;
  readonly #files: MattermostFiles;
  readonly #people = new Map<string, SourcePerson>();
  readonly #channels = new Map<string, Channel>();
  readonly #posts = new PostIndex();
  /** The teams that are open only by invitation, and the members of each team. */
  readonly #closedTeams = new Set<unknown>();
  readonly #teams = new Map<string, Set<string>>();
  readonly #broken: LeftOut[] = [];
  readonly #lines: PostLines;
  #done = 0;
  #isCutOff = false;

  constructor(file: FileHandle, files: MattermostFiles) {
    this.#file = file;
    this.#lines = new PostLines(file);
    this.#files = files;
  }

  progress = () => ({ done: this.#done, all: this.#posts.count });

  unreadable = (): LeftOut[] => this.#broken;

  unread = (): ArchiveFile[] => withoutRoot(this.#files.archive?.unread() ?? [], this.#files.prefix);

  get cutOff(): string | undefined {
    return this.#isCutOff ? 'it ends in the middle of a line' : undefined;
  }

  close = async () => {
    await this.#file.close();
    await this.#files.close();
  };

  /** Reads the whole file once. */
  async readIndex(): Promise<void> {
    for await (const { text, offset, length, isEnded } of linesOf(this.#files.path, mostLine)) {
      const line = text === undefined ? undefined : parseLine(text);
      if (line) this.#note(line, { offset, length });
      else if (text === undefined || text.trim() !== '') {
        this.#broken.push({ leftOut: 'not JSON, or too long', kind: 'pages', raw: { line_at_byte: offset } });
        this.#isCutOff ||= !isEnded;
      }
    }
    this.#posts.sort();
  }

  #note(line: Json, at: { offset: number; length: number }): void {
    const of = jsonOf(line[textOf(line.type) ?? '']);
    switch (line.type) {
      case 'user':
        this.#noteUser(of);
        break;
      case 'bot':
        this.#noteBot(of);
        break;
      case 'channel':
        this.#channelOf(keyOf(of.team, of.name), of.type === 'O' ? 'public' : 'private', of);
        break;
      case 'direct_channel':
        this.#directOf(of.members ?? listOf(of.participants).map((one) => jsonOf(one).username), of);
        break;
      case 'post':
        this.#notePost(keyOf(of.team, of.channel), of, at);
        break;
      case 'direct_post':
        this.#notePost(this.#directOf(of.channel_members).key, of, at);
        break;
      case 'team':
        if (of.type === 'I') this.#closedTeams.add(of.name);
        break;
      case 'version':
        break;
      default:
        this.#broken.push({ leftOut: `not read: lines of the type ${textOf(line.type)}`, kind: 'parts', raw: of.name ?? null });
    }
  }

  #noteUser(user: Json): void {
    const username = textOf(user.username);
    if (username === undefined) {
      this.#broken.push({ leftOut: 'without a username', kind: 'people', raw: user });
      return;
    }
    const names = [textOf(user.first_name), textOf(user.last_name)].filter((name) => name?.trim());
    this.#people.set(username, {
      id: username,
      username,
      name: names.length > 0 ? names.join(' ') : textOf(user.nickname),
      email: textOf(user.email),
      isBot: user.is_bot === true,
      isActive: !numberOf(user.delete_at),
      isGuest: /\bsystem_guest\b/.test(textOf(user.roles) ?? ''),
    });
    for (const team of listOf(user.teams).map(jsonOf)) {
      const inTeam = this.#teams.get(textOf(team.name) ?? '') ?? new Set();
      this.#teams.set(textOf(team.name) ?? '', inTeam.add(username));
      for (const channel of listOf(team.channels).map(jsonOf)) {
        const found = this.#channelOf(keyOf(team.name, channel.name));
        found.members.add(username);
        if (/\bchannel_admin\b/.test(textOf(channel.roles) ?? '')) found.owner ??= username;
      }
    }
  }

  #noteBot(bot: Json): void {
    const username = textOf(bot.username);
    if (username === undefined) {
      this.#broken.push({ leftOut: 'without a username', kind: 'people', raw: bot });
      return;
    }
    const isActive = !numberOf(bot.delete_at);
    this.#people.set(username, { id: username, username, name: textOf(bot.display_name), isBot: true, isActive });
  }

  #channelOf(key: string, kind: SourceRoom['kind'] = 'private', channel?: Json): Channel {
    const found = this.#channels.get(key) ?? { key, kind, channel: {}, members: new Set<string>() };
    if (channel) Object.assign(found, { kind, channel });
    this.#channels.set(key, found);
    return found;
  }

  #directOf(members: unknown, channel?: Json): Channel {
    const names = [...new Set(listOf(members).flatMap((member) => textOf(member) ?? []))].sort();
    const found = this.#channelOf(`direct ${names.join(' ')}`, 'direct', channel ?? {});
    for (const name of names) found.members.add(name);
    return found;
  }

  #notePost(key: string, post: Json, { offset, length }: { offset: number; length: number }): void {
    this.#channelOf(key);
    const at = numberOf(post.create_at) ?? 0;
    this.#posts.add(key, { at, offset, length, reply: -1 });
    for (const [reply, one] of listOf(post.replies).entries())
      this.#posts.add(key, { at: Math.max(at, numberOf(jsonOf(one).create_at) ?? 0), offset, length, reply });
  }

  async *people(): AsyncGenerator<SourcePerson> {
    yield* this.#people.values();
  }

  async *rooms(): AsyncGenerator<SourceRoom> {
    for (const { key, kind, channel, members, owner } of this.#channels.values()) {
      const isOfTeamAlone = kind === 'public' && this.#isLimited(textOf(channel.team) ?? '');
      yield {
        id: key,
        kind: isOfTeamAlone ? 'private' : kind,
        ...(isOfTeamAlone && { note: 'open rooms of teams that not everybody is in, which are closed here' }),
        name: textOf(channel.display_name)?.trim() || textOf(channel.name) || key.replace(/^.*\//, ''),
        topic: textOf(channel.header) || textOf(channel.purpose) || '',
        members: [...members],
        owner,
        isArchived: Boolean(numberOf(channel.deleted_at) ?? numberOf(channel.delete_at)),
        messages: (usernameOf) => this.#messages(key, usernameOf),
      };
    }
  }

  /**
   * True if people outside the team cannot see its open channels, because the team requires an
   * invitation.
   */
  #isLimited(team: string): boolean {
    if (!this.#closedTeams.has(team)) return false;
    const isOutside = ({ id, isActive, isGuest, isBot }: SourcePerson) =>
      isActive && !isGuest && !isBot && !this.#teams.get(team)?.has(id);
    return [...this.#people.values()].some(isOutside);
  }

  async *#messages(key: string, usernameOf: UsernameOf): AsyncGenerator<SourceItem> {
    // The number of messages by each author at this moment. Nothing else distinguishes them.
    let moment = { at: Number.NaN, counts: new Map<string, number>() };
    /** The ids of messages with replies that do not follow from time and author. */
    const others = new Map<number, string>();
    const idOf = (post: Json, at: number) => `${key} ${at} ${textOf(post.user)}`;
    for (const { offset, length, reply, at } of this.#posts.of(key)) {
      this.#done++;
      const root = await this.#lines.postAt(offset, length);
      const post = reply < 0 ? root : jsonOf(listOf(root.replies)[reply]);
      if (moment.at !== at) moment = { at, counts: new Map() };
      // The effective time: a reply may claim to be older than its post.
      const id = idOf(post, at);
      const count = moment.counts.get(id) ?? 0;
      moment.counts.set(id, count + 1);
      const own = count === 0 ? id : `${id} ${count}`;
      if (reply < 0 && count > 0) others.set(offset, own);
      const thread =
        reply < 0
          ? undefined
          : { id: others.get(offset) ?? idOf(root, numberOf(root.create_at) ?? 0), at: dateOf(root.create_at) };
      yield readPost(post, { id: own, thread, usernameOf, fileOf: this.#fileOf });
    }
  }

  #fileOf = (path: string, index: number): SourceFile => {
    const { archive, prefix } = this.#files;
    const called = basename(entryName(path));
    if (called === '') return { id: String(index), name: 'file', gone: 'without a name' };
    const file = { id: String(index), name: called };
    const name = [path, `data/${path}`].map((one) => prefix + one).find((one) => archive?.size(one) !== undefined);
    if (!archive || name === undefined) return file;
    return { ...file, size: archive.size(name) ?? 0, open: () => archive.stream(name) };
  };
}

/** The most bytes of a line. */
const mostLine = 64 * 1024 * 1024;

const keyOf = (team: unknown, channel: unknown) => `${textOf(team) ?? ''}/${textOf(channel) ?? ''}`;
