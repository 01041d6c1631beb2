import { FormatError, Reader, webAddress } from 'chat-service-rules/formats/reader';
import { mrkdwn, readSlack } from 'chat-service-rules/formats/slack';
import { isObject } from 'chat-service-rules/objects';
import { storable } from 'chat-service-rules/texts';
import { withEmoji } from '../emoji.ts';
import { type Json, jsonOf, listOf, numberOf, textOf } from '../json.ts';
import type { SourceFile, SourceItem, SourceMessage, UsernameOf } from '../source.ts';
import type { SlackFiles } from './files.ts';

/** What a message is read with: its channel, and what the ids in it stand for. */
type Context = {
  channel: string;
  pins: Pins;
  usernameOf: UsernameOf;
  channelNames: ReadonlyMap<string, string>;
  /** The ids of the users by which bots speak. */
  userOfBot: ReadonlyMap<string, string>;
  /** Where the bytes of files come from, if they do. */
  files: SlackFiles | undefined;
};

export type Pins = ReadonlyMap<string, Date>;

/** A message of Slack, or why it can't be one here. */
export function readMessage(original: unknown, context: Context): SourceItem {
  const { channel, pins } = context;
  const raw = jsonOf(original);
  const leave = (leftOut: string): SourceItem => ({ leftOut, raw: original });
  const [subtype, ts] = [textOf(raw.subtype), textOf(raw.ts)];
  const at = timeOf(raw.ts);
  if (raw.is_hidden_by_limit !== undefined || raw.type === 'hidden_by_limit' || subtype === 'hidden_by_limit')
    return leave("hidden by the limit of the source's plan");
  if (subtype === 'tombstone') return leave('deleted in the source');
  if (subtype !== undefined && systemMessages.has(subtype)) return leave('a message of the system');
  if (ts === undefined || !at) return leave('without a time');
  const author = authorOf(raw, context);
  if (!author) return leave('without an author');
  const files = listOf(raw.files ?? (raw.file === undefined ? undefined : [raw.file])).map((file, index) =>
    fileOf(jsonOf(file), index, context.files),
  );
  const thread = textOf(raw.thread_ts);
  const threadAt = timeOf(raw.thread_ts);
  const edited = jsonOf(raw.edited);
  return {
    id: `${channel}:${ts}`,
    author,
    at,
    text: markdownOf(raw, subtype, context),
    editedAt: timeOf(edited.ts),
    thread: thread !== undefined && threadAt && thread !== ts ? { id: `${channel}:${thread}`, at: threadAt } : undefined,
    isInRoom: subtype === 'thread_broadcast' || subtype === 'reply_broadcast',
    reactions: listOf(raw.reactions).map(jsonOf).flatMap(reactionsOf),
    pinnedAt: pins.get(ts) ?? (listOf(raw.pinned_to).includes(channel) ? at : undefined),
    files,
    raw: original,
  };
}

function authorOf(raw: Json, { userOfBot }: Context): SourceMessage['author'] | undefined {
  const [user, bot] = [textOf(raw.user), textOf(raw.bot_id)];
  const profile = jsonOf(raw.user_profile);
  if (user !== undefined)
    return { id: user, username: textOf(profile.name), name: firstText(profile.real_name), isBot: bot !== undefined };
  const known = bot === undefined ? undefined : userOfBot.get(bot);
  const name = firstText(raw.username, jsonOf(raw.bot_profile).name);
  if (known !== undefined) return { id: known, username: name, name, isBot: true };
  if (bot === undefined && name === undefined) return undefined;
  return { id: bot ?? `bot ${name}`, username: name, name, isBot: true };
}

/** The text in Markdown: as from a webhook, but that ids are known. */
function markdownOf(raw: Json, subtype: string | undefined, { usernameOf, channelNames }: Context): string {
  const name = (text: string) =>
    text.replaceAll(/<([@#])([A-Z0-9]+)(\|[^<>]*)?>/g, (whole, sign: string, id: string) => {
      const known = sign === '@' ? usernameOf(id) : channelNames.get(id);
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
    if (error instanceof FormatError) return plain;
    throw error;
  }
}

/** What says that something happened, and nothing that somebody has said. */
const systemMessages: ReadonlySet<string> = new Set(
  [
    'archive convert_to_private conversion join leave name posting_permissions purpose topic unarchive'
      .split(' ')
      .flatMap((what) => [`channel_${what}`, `group_${what}`]),
    'app_conversion_join bot_add bot_disable bot_enable bot_remove channel_canvas_updated document_mention ekm_access_denied',
    'huddle_thread joiner_notification joiner_notification_for_inviter message_changed message_deleted message_replied',
    'pinned_item reminder_add sh_room_created sh_room_shared unpinned_item',
  ].flatMap((names) => (typeof names === 'string' ? names.split(' ') : names)),
);

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

/** The first of these that is a text and not blank. */
export const firstText = (...values: unknown[]): string | undefined => values.map(textOf).find((text) => text?.trim());

/** The pinned messages of a channel, by their times, and when they were pinned. */
export const pinsOf = (channel: Json): Pins =>
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

function fileOf(file: Json, index: number, files: SlackFiles | undefined): SourceFile {
  const name = firstText(file.title, file.name) ?? 'file';
  const address = [file.permalink, file.url_private, file.external_url]
    .map((one) => webAddress(textOf(one) ?? ''))
    .find((one) => one !== undefined);
  const known = { id: textOf(file.id) ?? String(index), ...(address !== undefined && { address }) };
  const size = numberOf(file.size);
  const open = files?.openerOf(textOf(file.url_private_download) ?? textOf(file.url_private), size);
  if (!open) return { ...known, name };
  // The title of a file may lack the ending that says what it is.
  return { ...known, name: firstText(file.name) ?? name, open, ...(size !== undefined && { size }), lack: notFetched };
}

const notFetched = 'could not be fetched: a link to it stands in the message';

/** The time of a message, which is its name as well: seconds with six digits behind them. */
export function timeOf(ts: unknown): Date | undefined {
  const text = textOf(ts);
  return text !== undefined && /^\d{1,12}(\.\d{1,9})?$/.test(text) ? dateOf(Math.floor(Number(text) * 1000)) : undefined;
}

/** A date from 1970 to 9999. */
export function dateOf(milliseconds: number): Date | undefined {
  return milliseconds >= 0 && milliseconds < 253_402_300_800_000 ? new Date(milliseconds) : undefined;
}
