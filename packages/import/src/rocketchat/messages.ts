import { lines, link, paragraphs, quote } from 'chat-service-rules/formats/markdown';
import { FormatError, Reader, webAddress } from 'chat-service-rules/formats/reader';
import { emphasised, readSlack } from 'chat-service-rules/formats/slack';
import { outsideCode, withEmoji } from '../emoji.ts';
import { type Json, jsonOf, listOf, textOf } from '../json.ts';
import { withUsernames } from '../mentions.ts';
import type { SourceFile, SourceItem, SourceMessage, UsernameOf } from '../source.ts';

/** The context of a message. */
type Context = {
  room: string;
  /** The id of a user, by the username in Rocket.Chat. */
  idOf: (username: string) => string | undefined;
  usernameOf: UsernameOf;
  /** The time of the message that began a thread. */
  threadAt: (id: string) => Date | undefined;
  fileOf: (id: string, name: string) => SourceFile;
};

/** Converts a message of Rocket.Chat, or returns the reason why it is left out. */
export function readMessage(raw: Json, context: Context): SourceItem {
  const { room, idOf, threadAt, fileOf } = context;
  const leave = (leftOut: string): SourceItem => ({ leftOut, raw });
  const [id, kind, thread] = [textOf(raw._id), textOf(raw.t) ?? '', textOf(raw.tmid)];
  const at = dateOf(raw.ts);
  if (kind === 'rm') return leave('deleted in the source');
  if (raw._hidden === true) return leave('hidden in the source: deleted, or an older text of an edited one');
  if (kind === 'e2e' || kind.startsWith('otr')) return leave('encrypted in the source');
  if (kind !== '' && kind !== discussionBegan) return leave('a message of the system');
  if (id === undefined) return leave('without an id');
  if (!at) return leave('without a time');
  const author = authorOf(raw);
  if (!author) return leave('without an author');
  const files = filesOf(raw).map((file) => fileOf(textOf(file._id) ?? '', textOf(file.name) ?? 'file'));
  // The key contains the room, so that a thread is never in two rooms.
  const key = (of: string) => `${room}:${of}`;
  const begun = thread !== undefined && thread !== id ? { id: key(thread), at: threadAt(thread) ?? at } : undefined;
  return {
    id: key(id),
    author,
    at,
    text: kind === discussionBegan ? discussionOf(raw) : textsOf(raw, context),
    editedAt: kind === discussionBegan ? undefined : dateOf(raw.editedAt),
    thread: begun,
    isInRoom: raw.tshow === true,
    reactions: Object.entries(jsonOf(raw.reactions)).flatMap(([emoji, given]) =>
      listOf(jsonOf(given).usernames).flatMap((one) => {
        const username = textOf(one);
        if (username === undefined) return [];
        return [{ emoji: emoji.replace(/^:|:$/g, ''), user: idOf(username) ?? username }];
      }),
    ),
    pinnedAt: raw.pinned === true ? (dateOf(raw.pinnedAt) ?? at) : undefined,
    files,
    raw,
  };
}

/** The kind of a message that announces a discussion, which is a separate room. */
const discussionBegan = 'discussion-created';

const discussionOf = ({ msg }: Json): string => `Discussion: ${emphasis(textOf(msg) ?? '')}`;

const emphasis = (text: string): string => {
  const plain = text.replaceAll(/[*`\s]+/g, ' ').trim();
  return plain === '' ? '' : `**${plain}**`;
};

/** The author of a message. A program has the name that it chose. */
function authorOf(raw: Json): SourceMessage['author'] | undefined {
  const user = jsonOf(raw.u);
  const [id, alias] = [textOf(user._id), textOf(raw.alias)?.trim()];
  const isBot = raw.bot !== undefined && raw.bot !== null && raw.bot !== false;
  if (isBot && alias) return { id: `program ${alias}`, username: alias, name: alias, isBot };
  if (id === undefined) return undefined;
  return { id, username: textOf(user.username), name: textOf(user.name), isBot };
}

/** The files of a message without the thumbnails that Rocket.Chat creates. */
function filesOf({ files, file }: Json): Json[] {
  const all = listOf(files ?? (file === undefined || file === null ? undefined : [file])).map(jsonOf);
  const names = new Set(all.map(({ name }) => textOf(name)));
  return all.filter(({ name, typeGroup, _id }) => {
    const whole = textOf(name)?.replace(/^thumb-/, '');
    return textOf(_id) !== undefined && typeGroup !== 'thumb' && (whole === name || !names.has(whole));
  });
}

/** The most attachments of a message that are read. */
const mostAttachments = 100;

function textsOf(raw: Json, context: Context): string {
  const attachments = listOf(raw.attachments).slice(0, mostAttachments).map(jsonOf);
  const quotes = attachments.filter(isQuote).map((one) => quoteOf(one, context));
  // A link without text stands for the quote.
  const text = markdownOf((textOf(raw.msg) ?? '').replaceAll(/\[ \]\([^()\s]*\)\s?/g, ''), context);
  const others = attachments.filter((one) => !isQuote(one)).map((one) => attachmentOf(one, context));
  return paragraphs(...quotes, text, ...others);
}

/**
 * Longer texts are not converted. Rocket.Chat's limit is 5,000 characters, unless an administrator
 * raised it.
 */
const longest = 100_000;

function markdownOf(text: string, { idOf, usernameOf }: Context): string {
  if (text.length > longest) return text;
  const named = withUsernames(text, (username) => {
    const id = idOf(username);
    return id === undefined ? undefined : usernameOf(id);
  });
  const marked = outsideCode(named, (part) =>
    emphasised(part).replaceAll(/<(https?:\/\/[^<>|\s]+)\|([^<>|\n]+)>/g, (whole, address: string, label: string) => {
      const known = webAddress(address);
      return known === undefined ? whole : link(label, known);
    }),
  );
  return withEmoji(marked).trim();
}

const isQuote = ({ message_link }: Json): boolean => textOf(message_link) !== undefined;

const quoteOf = ({ author_name, text }: Json, context: Context): string =>
  quote(lines(emphasis(textOf(author_name) ?? ''), markdownOf(textOf(text) ?? '', context)));

/**
 * The text of an attachment. Of a file, only its description; of a program's attachment, everything
 * visible.
 */
function attachmentOf(attachment: Json, context: Context): string {
  const isFile = attachment.type === 'file' || /^\/?file-upload\//.test(textOf(attachment.title_link) ?? '');
  if (isFile) return markdownOf(textOf(attachment.description) ?? '', context);
  try {
    return withEmoji(readSlack(new Reader({ attachments: [attachment] })));
  } catch (error) {
    // Programs may have sent content in any form.
    if (error instanceof FormatError) return '';
    throw error;
  }
}

/** A date from 1970 to 9999. */
export function dateOf(value: unknown): Date | undefined {
  const milliseconds = value instanceof Date ? value.getTime() : Number.NaN;
  return milliseconds > 0 && milliseconds < 253_402_300_800_000 ? new Date(milliseconds) : undefined;
}
