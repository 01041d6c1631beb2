import { basename } from 'node:path';
import { paragraphs } from 'chat-service-rules/formats/markdown';
import { type Json, numberOf, textOf } from '../json.ts';
import type { SourceFile, SourceItem, SourceMessage } from '../source.ts';
import { markdownOf, type Names } from './markdown.ts';

/** The context of a message. */
type Context = Pick<Names, 'usernameOf' | 'emojiOf'> & {
  room: string;
  /**
   * The messages that began the topics of a channel; undefined for a conversation, which does not
   * have topics.
   */
  topics: Map<string, { id: string; at: Date }> | undefined;
  authorOf: (id: string) => SourceMessage['author'] & { isOfSystem: boolean };
  reactionsOf: (message: number) => SourceMessage['reactions'];
  /** The file at a path of the uploads, if the archive contains it. */
  fileAt: (path: string) => Pick<SourceFile, 'size' | 'open'> | undefined;
};

/** Converts a message of Zulip, or returns the reason why it is left out. */
export function readMessage(raw: Json, context: Context): SourceItem {
  const { room, topics, authorOf, reactionsOf } = context;
  const leave = (leftOut: string): SourceItem => ({ leftOut, raw });
  const [number, sender] = [numberOf(raw.id), textOf(raw.sender)];
  const at = dateOf(raw.date_sent ?? raw.pub_date);
  if (number === undefined) return leave('without an id');
  if (!at) return leave('without a time');
  if (sender === undefined) return leave('without an author');
  const { isOfSystem, ...author } = authorOf(sender);
  if (isOfSystem || numberOf(raw.type) === topicWasResolved) return leave('a message of the system');
  const files: SourceFile[] = [];
  const text = markdownOf(textOf(raw.content) ?? '', { ...context, takeFile: (address, label) => takeFile(address, label) });
  // The id contains the room: a message may have been moved to another room, and a thread is never
  // in two.
  const message = { id: `${room}:${number}`, at };
  const topic = textOf(raw.subject) ?? '';
  const thread = topics && topic !== '' && topic !== '(no topic)' ? threadOf(topic) : undefined;
  return {
    ...message,
    author,
    text: thread?.id === message.id ? paragraphs(titleOf(topic), text) : text,
    editedAt: wasEdited(raw) ? dateOf(raw.last_edit_time) : undefined,
    thread: thread?.id === message.id ? undefined : thread,
    reactions: reactionsOf(number),
    files,
    raw,
  };

  function threadOf(title: string): { id: string; at: Date } {
    // Case-insensitive, as in Zulip.
    const key = title.toLowerCase();
    const begun = topics?.get(key) ?? message;
    topics?.set(key, begun);
    return begun;
  }

  function takeFile(address: string, label: string): boolean {
    const [, host, path] = /^(https?:\/\/[^/]+)?\/?user_uploads\/([^?#]+)/.exec(address) ?? [];
    if (path === undefined) return false;
    const [decoded, name] = [decodedPath(path), label.trim() || basename(decodedPath(path))];
    const found = context.fileAt(decoded) ?? context.fileAt(path);
    // The link leads to another server, as far as the archive shows.
    if (host !== undefined && !found) return false;
    if (!files.some(({ id }) => id === decoded)) files.push({ id: decoded, name, ...found });
    return true;
  }
}

/** The kind of a message that reports a resolved topic. */
const topicWasResolved = 2;

/** Without characters that would end the bold text. */
const titleOf = (topic: string): string => `**${topic.replaceAll(/[*`\s]+/g, ' ').trim()}**`;

/**
 * True if the text of a message was edited. A time of editing alone may mean that the message was
 * moved to another topic.
 */
const wasEdited = ({ edit_history }: Json): boolean => typeof edit_history !== 'string' || edit_history.includes('prev_content');

function decodedPath(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

/** A date from 1970 to 9999; the value is in seconds. */
export function dateOf(value: unknown): Date | undefined {
  const seconds = numberOf(value);
  return seconds !== undefined && seconds > 0 && seconds < 253_402_300_800 ? new Date(Math.floor(seconds * 1000)) : undefined;
}
