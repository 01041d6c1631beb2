import { isObject } from '../api/parameters.ts';
import { HttpError } from '../errors.ts';
import { Reader, webAddress } from '../webhooks/reader.ts';
import { mrkdwn, readSlack } from '../webhooks/slack.ts';
import { type Archive, broken, openArchive } from './archive.ts';
import { withEmoji } from './emoji.ts';
import { type Json, jsonOf, listOf, numberOf, textOf } from './json.ts';
import type { Source, SourceFile, SourceItem, SourceMessage, SourcePerson, SourceRoom, UsernameOf } from './source.ts';
import { storable } from './texts.ts';

/*
 * The archive that Slack exports: `users.json`; `channels.json`, `groups.json`, `dms.json` and `mpims.json`, as far as
 * the one who exported them could see them; and a folder for each room with a file for each day. Fields may be missing, and
 * there may be more of them: only what is used is looked at, and nothing of it stops an import.
 */

/** A file of a day, or of all people, is read as a whole. */
const mostBytes = 64 * 1024 * 1024;

/** Opens an archive of Slack; an error for any other file. */
export async function openSlack(path: string): Promise<Source> {
  const archive = await openArchive(path);
  try {
    const root = rootOf(archive);
    if (root === undefined) throw broken(path, 'is not an export of Slack: it has neither users.json nor channels.json');
    return new SlackArchive(archive, root);
  } catch (error) {
    archive.close();
    throw error;
  }
}

/** The folder of an archive that somebody has packed again. */
function rootOf({ names }: Archive): string | undefined {
  const found = names.filter((name) => /(^|\/)(users|channels)\.json$/.test(name)).map((name) => name.replace(/[^/]+$/, ''));
  return found.sort((one, other) => one.length - other.length)[0];
}

class SlackArchive implements Source {
  readonly name = 'slack';
  readonly #archive: Archive;
  readonly #root: string;
  /** The names of the files of days, by their folder. */
  readonly #days = new Map<string, string[]>();
  readonly #channelNames = new Map<string, string>();
  /** People, bots and what the messages say of others. */
  readonly #userOfBot = new Map<string, string>();
  #done = 0;
  readonly #all: number;

  constructor(archive: Archive, root: string) {
    this.#archive = archive;
    this.#root = root;
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

  close = async () => this.#archive.close();

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
      const all = parsed.map((raw) => ({ raw: jsonOf(raw), original: raw as unknown }));
      // In the order of their times, which is that of the file but for few.
      all.sort((one, other) => (timeOf(one.raw.ts)?.getTime() ?? 0) - (timeOf(other.raw.ts)?.getTime() ?? 0));
      for (const { raw, original } of all) yield this.#item(raw, original, { channel, pins, usernameOf });
    }
  }

  #item(raw: Json, original: unknown, { channel, pins, usernameOf }: Context): SourceItem {
    const leave = (leftOut: string): SourceItem => ({ leftOut, raw: original });
    const [subtype, ts] = [textOf(raw.subtype), textOf(raw.ts)];
    const at = timeOf(raw.ts);
    if (raw.is_hidden_by_limit !== undefined || raw.type === 'hidden_by_limit' || subtype === 'hidden_by_limit')
      return leave("hidden by the limit of the source's plan");
    if (subtype === 'tombstone') return leave('deleted in the source');
    if (subtype !== undefined && systemMessages.test(subtype)) return leave('a message of the system');
    if (ts === undefined || !at) return leave('without a time');
    const author = this.#author(raw);
    if (!author) return leave('without an author');
    const files = listOf(raw.files ?? (raw.file === undefined ? undefined : [raw.file])).map((file, index) =>
      fileOf(jsonOf(file), index),
    );
    const thread = textOf(raw.thread_ts);
    const threadAt = timeOf(raw.thread_ts);
    const edited = jsonOf(raw.edited);
    return {
      id: `${channel}:${ts}`,
      author,
      at,
      text: this.#text(raw, subtype, usernameOf),
      editedAt: timeOf(edited.ts),
      thread: thread !== undefined && threadAt && thread !== ts ? { id: `${channel}:${thread}`, at: threadAt } : undefined,
      isInRoom: subtype === 'thread_broadcast' || subtype === 'reply_broadcast',
      reactions: listOf(raw.reactions).map(jsonOf).flatMap(reactionsOf),
      pinnedAt: pins.get(ts) ?? (listOf(raw.pinned_to).includes(channel) ? at : undefined),
      files,
      raw: original,
    };
  }

  #author(raw: Json): SourceMessage['author'] | undefined {
    const [user, bot] = [textOf(raw.user), textOf(raw.bot_id)];
    const profile = jsonOf(raw.user_profile);
    if (user !== undefined)
      return { id: user, username: textOf(profile.name), name: firstText(profile.real_name), isBot: bot !== undefined };
    const known = bot === undefined ? undefined : this.#userOfBot.get(bot);
    const name = firstText(raw.username, jsonOf(raw.bot_profile).name);
    if (known !== undefined) return { id: known, username: name, name, isBot: true };
    if (bot === undefined && name === undefined) return undefined;
    return { id: bot ?? `bot ${name}`, username: name, name, isBot: true };
  }

  /** The text in Markdown: as from a webhook, but that ids are known. */
  #text(raw: Json, subtype: string | undefined, usernameOf: UsernameOf): string {
    const name = (text: string) =>
      text.replaceAll(/<([@#])([A-Z0-9]+)(\|[^<>]*)?>/g, (whole, sign: string, id: string) => {
        const known = sign === '@' ? usernameOf(id) : this.#channelNames.get(id);
        return known === undefined ? whole : `<${sign}${id}|${known}>`;
      });
    const { text, blocks, attachments } = within(raw, name) as Json;
    const plain = withEmoji(mrkdwn(storable(textOf(text) ?? '')));
    if (subtype === 'me_message') return plain === '' ? '' : `_${plain}_`;
    if (blocks === undefined && attachments === undefined) return plain;
    try {
      const read = withEmoji(readSlack(new Reader({ text, blocks, attachments })));
      // It reads less of a text than people write.
      return read.length < plain.length ? plain : read;
    } catch (error) {
      // What programs have sent may be of any form.
      if (error instanceof HttpError) return plain;
      throw error;
    }
  }

  async #list(file: string): Promise<Json[]> {
    if (this.#archive.size(this.#root + file) === undefined) return [];
    const parsed = await this.#parse(this.#root + file);
    if (!Array.isArray(parsed)) throw new Error(`The archive has no list in ${file}.`);
    return parsed.map(jsonOf);
  }

  /** What a file says; undefined for one that is not JSON, or longer than any. */
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

type Context = { channel: string; pins: Pins; usernameOf: UsernameOf };
type Pins = ReadonlyMap<string, Date>;

const roomLists = [
  { file: 'channels.json', kind: 'public' },
  { file: 'groups.json', kind: 'private' },
  { file: 'mpims.json', kind: 'direct' },
  { file: 'dms.json', kind: 'direct' },
] as const;

/** What says that something happened, and nothing that somebody has said. */
const systemMessages =
  /^((channel|group|bot|app)_(join|leave|topic|purpose|name|archive|unarchive|add|remove|conversion|convert_to_private|posting_permissions)|pinned_item|unpinned_item|ekm_access_denied|channel_canvas_updated|document_mention|huddle_thread|sh_room_created|sh_room_shared|reminder_add|joiner_notification|joiner_notification_for_inviter|message_changed|message_deleted|message_replied|bot_enable|bot_disable|assistant_app_thread)$/;

/** Some texts within an object, each changed: as deep as blocks go. */
function within(value: unknown, change: (text: string) => string, depth = 0): unknown {
  if (typeof value === 'string') return change(value);
  if (depth > 20) return undefined;
  if (Array.isArray(value)) return value.map((one) => within(one, change, depth + 1));
  if (!isObject(value)) return value;
  const chosen = depth === 0 ? ['text', 'blocks', 'attachments'] : Object.keys(value);
  return Object.fromEntries(
    chosen.filter((key) => Object.hasOwn(value, key)).map((key) => [key, within(value[key], change, depth + 1)]),
  );
}

const firstText = (...values: unknown[]): string | undefined => values.map(textOf).find((text) => text?.trim());

const pinsOf = (channel: Json): Pins =>
  new Map(
    listOf(channel.pins)
      .map(jsonOf)
      .flatMap(({ id, created }) => {
        const [ts, at] = [textOf(id), dateOf((numberOf(created) ?? Number.NaN) * 1000)];
        return ts !== undefined && at ? [[ts, at] as const] : [];
      }),
  );

const reactionsOf = ({ name, users }: Json) =>
  listOf(users).flatMap((user) => {
    const [emoji, id] = [textOf(name), textOf(user)];
    return emoji === undefined || id === undefined ? [] : [{ emoji, user: id }];
  });

function fileOf(file: Json, index: number): SourceFile {
  const name = firstText(file.title, file.name) ?? 'file';
  const address = [file.permalink, file.url_private, file.external_url]
    .map((one) => webAddress(textOf(one) ?? ''))
    .find((one) => one !== undefined);
  return { id: textOf(file.id) ?? String(index), name, ...(address !== undefined && { address }) };
}

/** The time of a message, which is its name as well: seconds with six digits behind them. */
function timeOf(ts: unknown): Date | undefined {
  const text = textOf(ts);
  return text !== undefined && /^\d{1,12}(\.\d{1,9})?$/.test(text) ? dateOf(Math.floor(Number(text) * 1000)) : undefined;
}

/** A date from 1970 to 9999. */
function dateOf(milliseconds: number): Date | undefined {
  return milliseconds >= 0 && milliseconds < 253_402_300_800_000 ? new Date(milliseconds) : undefined;
}
