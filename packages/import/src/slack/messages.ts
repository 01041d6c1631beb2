import { lines, paragraphs, quote } from 'chat-service-rules/formats/markdown';
import { FormatError, Reader } from 'chat-service-rules/formats/reader';
import { mrkdwn, readSlack } from 'chat-service-rules/formats/slack';
import { isObject } from 'chat-service-rules/objects';
import { storable } from 'chat-service-rules/texts';
import { withEmoji } from '../emoji.ts';
import { type Json, jsonOf, listOf, numberOf, textOf } from '../json.ts';
import type { SourceItem, SourceMessage, UsernameOf } from '../source.ts';
import { type FilePlaces, fileOf } from './file-records.ts';
import { dateOf, firstText, isSaid } from './records.ts';

/** The context of a message: its channel, and the meanings of the ids in it. */
type Context = FilePlaces & {
  channel: string;
  pins: Pins;
  usernameOf: UsernameOf;
  channelNames: ReadonlyMap<string, string>;
  /** The ids of bots' users. */
  userOfBot: ReadonlyMap<string, string>;
};

export type Pins = ReadonlyMap<string, Date>;

/** Converts a message of Slack, or returns the reason why it is left out. */
export function readMessage(original: unknown, context: Context): SourceItem {
  const { channel, pins } = context;
  const raw = jsonOf(original);
  const leave = (leftOut: string): SourceItem => ({ leftOut, raw: original });
  const [subtype, ts] = [textOf(raw.subtype), textOf(raw.ts)];
  const at = timeOf(raw.ts);
  if (raw.is_hidden_by_limit !== undefined || raw.type === 'hidden_by_limit' || subtype === 'hidden_by_limit')
    return leave("hidden by the limit of the source's plan");
  if (subtype === 'tombstone') return leave('deleted in the source');
  if (subtype !== undefined && isOfSystem(subtype)) return leave('a message of the system');
  if (ts === undefined || !at) return leave('without a time');
  const author = authorOf(raw, context);
  if (!author) return leave('without an author');
  const own = listOf(raw.files ?? (raw.file === undefined || subtype === 'file_comment' ? undefined : [raw.file]));
  const shared = listOf(raw.attachments).map(jsonOf).filter(isShared);
  const listed = [...own, ...shared.flatMap((message) => listOf(message.files))];
  const files = listed.map((file, index) => fileOf(jsonOf(file), index, context));
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
  const [user, bot] = [textOf(raw.user) ?? textOf(jsonOf(raw.comment).user), textOf(raw.bot_id)];
  const profile = jsonOf(raw.user_profile);
  if (user !== undefined)
    return { id: user, username: textOf(profile.name), name: firstText(profile.real_name), isBot: bot !== undefined };
  const known = bot === undefined ? undefined : userOfBot.get(bot);
  const name = firstText(raw.username, jsonOf(raw.bot_profile).name);
  if (known !== undefined) return { id: known, username: name, name, isBot: true };
  if (bot === undefined && name === undefined) return undefined;
  return { id: bot ?? `bot ${name}`, username: name, name, isBot: true };
}

/** The text in Markdown. It is converted like a webhook's, with known ids. */
function markdownOf(raw: Json, subtype: string | undefined, context: Context): string {
  const known = within(saidIn(raw, subtype), (text) => withNames(text, context), context) as Json;
  const attachments = listOf(known.attachments).map(jsonOf);
  const plain = withEmoji(mrkdwn(storable(textOf(known.text) ?? '')));
  if (subtype === 'me_message') return plain === '' ? '' : `_${plain}_`;
  // The editor's blocks repeat the text. Those of programs may contain more.
  const blocks = listOf(known.blocks).every((block) => jsonOf(block).type === 'rich_text') && plain !== '' ? [] : known.blocks;
  const shown = attachments.filter((one) => !isPreview(one) || (plain === '' && attachments.length === 1));
  const shared = shown.filter(isShared).map(sharedMessage);
  const others = shown.filter((one) => !isShared(one));
  if (listOf(blocks).length === 0 && others.length === 0) return paragraphs(plain, ...shared);
  try {
    const read = withEmoji(readSlack(new Reader({ text: known.text, blocks, attachments: others })));
    // The conversion limits the text's length to less than people may write.
    return paragraphs(read.length < plain.length ? plain : read, ...shared);
  } catch (error) {
    // Programs may have sent content in any form.
    if (error instanceof FormatError) return paragraphs(plain, ...shared);
    throw error;
  }
}

/** The user's text, without the sentences that Slack used to put around it. */
function saidIn(raw: Json, subtype: string | undefined): Json {
  const text = textOf(raw.text) ?? '';
  if (subtype === 'file_comment') {
    const file = jsonOf(raw.file);
    const about = firstText(file.title, file.name);
    const comment = textOf(jsonOf(raw.comment).comment) ?? text;
    return { text: about === undefined ? comment : `> ${about}\n${comment}` };
  }
  if (text === cannotBeDisplayed && raw.blocks !== undefined) return { ...raw, text: '' };
  // The file itself is attached to the message.
  const uploaded = subtype === 'file_share' ? uploadSentence.exec(text) : null;
  return uploaded ? { ...raw, text: uploaded[1] ?? '', blocks: undefined } : raw;
}

/** Slack's placeholder text for a message that has only blocks. */
const cannotBeDisplayed = "This content can't be displayed.";

const uploadSentence = /^<@\w+(?:\|[^<>]*)?> (?:uploaded|shared) a file: <[^<>]*>(?: and commented: ([\s\S]*))?$/;

const withNames = (text: string, { usernameOf, channelNames }: Context): string =>
  text.replaceAll(/<([@#])([A-Z0-9]+)(\|[^<>]*)?>/g, (whole, sign: string, id: string) => {
    const known = sign === '@' ? usernameOf(id) : channelNames.get(id);
    return known === undefined ? whole : `<${sign}${id}|${known}>`;
  });

/** True if an attachment is an automatic preview of a link. */
const isPreview = (attachment: Json): boolean =>
  [attachment.from_url, attachment.original_url, attachment.app_unfurl_url].some((url) => textOf(url) !== undefined) &&
  !isShared(attachment);

/** True if an attachment is another message, shared by its link. */
const isShared = ({ is_msg_unfurl, is_share }: Json): boolean => isSaid(is_msg_unfurl) || isSaid(is_share);

function sharedMessage({ author_name, author_subname, text, fallback }: Json): string {
  const author = firstText(author_name, author_subname);
  const said = withEmoji(mrkdwn(storable(firstText(text, fallback) ?? '')));
  return quote(lines(author && `**${author.replaceAll(/[*`\s]+/g, ' ').trim()}**`, said));
}

/** True if a kind of message reports an event and does not contain a user's text. */
const isOfSystem = (subtype: string): boolean => systemPrefix.test(subtype) || systemMessages.has(subtype);

const systemPrefix =
  /^(channel|group|mpim|im|app_conversation|app_conversion|bot|sh_room|huddle|joiner_notification|pinned|unpinned|reminder|canvas|tabbed_canvas|list|workflow|assistant)_(?!message$|.*comment)/;
const systemMessages: ReadonlySet<string> = new Set(
  'document_mention ekm_access_denied joiner_notification message_changed message_deleted message_replied'.split(' '),
);

/**
 * Applies a change to the texts in an object, and replaces its mentions with texts. The depth is
 * limited to that of blocks.
 */
function within(value: unknown, change: (text: string) => string, context: Context, depth = 0): unknown {
  if (typeof value === 'string') return change(value);
  if (depth > 20) return undefined;
  if (Array.isArray(value)) return value.map((one) => within(one, change, context, depth + 1));
  if (!isObject(value)) return value;
  const named = depth > 0 ? nameIn(value, context) : undefined;
  if (named !== undefined) return { type: 'text', text: named, style: value.style };
  const chosen = depth === 0 ? ['text', 'blocks', 'attachments'] : Object.keys(value);
  return Object.fromEntries(
    chosen.filter((key) => Object.hasOwn(value, key)).map((key) => [key, within(value[key], change, context, depth + 1)]),
  );
}

/** The name for the id in an element of rich text. */
function nameIn({ type, user_id, channel_id }: Json, { usernameOf, channelNames }: Context): string | undefined {
  const [user, channel] = [textOf(user_id), textOf(channel_id)];
  const username = type === 'user' && user !== undefined ? usernameOf(user) : undefined;
  const name = type === 'channel' && channel !== undefined ? channelNames.get(channel) : undefined;
  return username === undefined ? name && `#${name}` : `@${username}`;
}

/** The pinned messages of a channel: when each was pinned, by the messages' times. */
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

/** The time of a message, which is also its id: seconds with six decimals. */
export function timeOf(ts: unknown): Date | undefined {
  const text = textOf(ts);
  return text !== undefined && /^\d{1,12}(\.\d{1,9})?$/.test(text) ? dateOf(Math.floor(Number(text) * 1000)) : undefined;
}
