import { paragraphs } from 'chat-service-rules/formats/markdown';
import { FormatError, Reader } from 'chat-service-rules/formats/reader';
import { readSlack } from 'chat-service-rules/formats/slack';
import { withEmoji } from '../emoji.ts';
import { type Json, jsonOf, listOf, numberOf, textOf } from '../json.ts';
import { withUsernames } from '../mentions.ts';
import type { SourceFile, SourceItem, SourceMessage, UsernameOf } from '../source.ts';

/** The context of a post: its id, its thread, and its files. */
export type Context = {
  id: string;
  thread: { id: string; at: Date | undefined } | undefined;
  usernameOf: UsernameOf;
  fileOf: (path: string, index: number) => SourceFile;
};

/** Converts a post or a reply to a message, or returns the reason why it is left out. */
export function readPost(post: Json, { id, thread, usernameOf, fileOf }: Context): SourceItem {
  const { replies: _, ...raw } = post;
  const leave = (leftOut: string): SourceItem => ({ leftOut, raw });
  const [type, user, at] = [textOf(post.type) ?? '', textOf(post.user), dateOf(post.create_at)];
  if (type.startsWith('system_') || type.startsWith('custom_calls')) return leave('a message of the system');
  if (numberOf(post.delete_at)) return leave('deleted in the source');
  if (!at) return leave('without a time');
  const props = jsonOf(post.props);
  const author = authorOf(user, props);
  if (!author) return leave('without an author');
  const message = withUsernames(textOf(post.message) ?? '', usernameOf);
  return {
    id,
    author,
    at,
    text: paragraphs(type === 'me' && message !== '' ? `_${message}_` : withEmoji(message), attachmentsOf(props)),
    editedAt: dateOf(numberOf(post.edit_at) || undefined),
    ...(thread?.at && { thread: { id: thread.id, at: thread.at } }),
    reactions: listOf(post.reactions)
      .map(jsonOf)
      .flatMap(({ user, emoji_name }) => {
        const [who, emoji] = [textOf(user), textOf(emoji_name)];
        return who === undefined || emoji === undefined ? [] : [{ emoji, user: who }];
      }),
    pinnedAt: post.is_pinned === true ? at : undefined,
    files: listOf(post.attachments).map((attachment, index) => fileOf(textOf(jsonOf(attachment).path) ?? '', index)),
    raw,
  };
}

/** The author of a post. A webhook's post has the name that the webhook chose. */
function authorOf(user: string | undefined, props: Json): SourceMessage['author'] | undefined {
  const isWebhook = props.from_webhook === true || props.from_webhook === 'true';
  const name = textOf(props.override_username) ?? textOf(props.webhook_display_name);
  if (isWebhook && name?.trim()) return { id: `webhook ${name}`, username: name, name, isBot: true };
  return user === undefined ? undefined : { id: user, username: user, isBot: isWebhook };
}

function attachmentsOf({ attachments }: Json): string {
  if (attachments === undefined) return '';
  try {
    return withEmoji(readSlack(new Reader({ attachments })));
  } catch (error) {
    // Programs may have sent content in any form.
    if (error instanceof FormatError) return '';
    throw error;
  }
}

/** A date from 1970 to 9999; the value is in milliseconds. */
export function dateOf(value: unknown): Date | undefined {
  const milliseconds = numberOf(value);
  return milliseconds !== undefined && milliseconds > 0 && milliseconds < 253_402_300_800_000
    ? new Date(Math.floor(milliseconds))
    : undefined;
}
