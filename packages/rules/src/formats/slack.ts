import { lines, link, paragraphs } from './markdown.ts';
import { type Reader, webAddress } from './reader.ts';
import { richText, timeOf } from './rich-text.ts';

/*
 * Messages in Slack's format, which many programs send: a text, blocks and attachments. They become
 * one text for searches, notifications and programs. `slack-display.ts` reads their display
 * options.
 */

/** Slack's own limit. */
const mostBlocks = 50;
export const mostAttachments = 100;
export const mostFields = 50;

/**
 * Converts a message in Slack's format to Markdown. Its text is only used if its blocks show
 * nothing.
 */
export const readSlack = (sent: Reader): string =>
  paragraphs(blocksOf(sent) || mrkdwn(sent.at('text').text()), ...sent.at('attachments').list(mostAttachments).map(attachment));

export const blocksOf = (sent: Reader): string => paragraphs(...sent.at('blocks').list(mostBlocks).map(block));

function block(sent: Reader): string {
  switch (sent.at('type').text()) {
    case 'header':
      return heading(sent.at('text', 'text').line());
    case 'section':
      return paragraphs(words(sent.at('text')), ...sent.at('fields').list(mostFields).map(words), action(sent.at('accessory')));
    case 'context':
      return sent.at('elements').list(mostFields).map(element).filter(Boolean).join(' ');
    case 'actions':
      return sent.at('elements').list(mostFields).map(action).filter(Boolean).join(' · ');
    case 'image':
      return link(sent.first('title', 'alt_text').isThere ? imageTitle(sent) : 'Image', sent.at('image_url').address());
    case 'markdown':
      return sent.at('text').text();
    case 'rich_text':
      return richText(sent);
    case 'video':
      return link(sent.at('title', 'text').line() || 'Video', sent.first('title_url', 'video_url').address());
    case 'divider':
      return '---';
    default:
      return '';
  }
}

const heading = (text: string) => (text === '' ? '' : `## ${text}`);

const imageTitle = (sent: Reader) => (sent.at('title').isThere ? sent.at('title', 'text') : sent.at('alt_text')).line();

/** A text object: Slack's markup, or plain text. */
const words = (sent: Reader): string =>
  sent.at('type').text() === 'mrkdwn' ? mrkdwn(sent.at('text').text()) : sent.at('text').text();

/** An element of a context: a text, or a picture, which is shown as its description. */
const element = (sent: Reader): string => (sent.at('type').text() === 'image' ? sent.at('alt_text').line() : words(sent));

/** A button, which is shown as its link. Other buttons would need a callback to the program. */
export function action(sent: Reader): string {
  const address = sent.at('url').address();
  if (!address) return '';
  const label = sent.at('text');
  return link(typeof label.value === 'string' ? label.line() : label.at('text').line(), address);
}

function attachment(sent: Reader): string {
  const title = link(mrkdwn(sent.at('title').line()), sent.at('title_link').address());
  const image = sent.first('image_url', 'thumb_url').address();
  const shown = paragraphs(
    mrkdwn(sent.at('pretext').text()),
    lines(
      link(sent.at('author_name').line(), sent.at('author_link').address()),
      title && `**${title}**`,
      mrkdwn(sent.at('text').text()),
      ...sent.at('fields').list(mostFields).map(field),
    ),
    blocksOf(sent),
    image && link('Image', image),
    sent.at('actions').list(mostFields).map(action).filter(Boolean).join(' · '),
  );
  return shown || mrkdwn(sent.at('fallback').text());
}

function field(sent: Reader): string {
  const title = mrkdwn(sent.at('title').line());
  const value = mrkdwn(sent.at('value').text());
  return title === '' ? value : `**${title}:** ${value}`;
}

/** Converts Slack's markup to Markdown. Code remains as it is, except for entities. */
export function mrkdwn(text: string): string {
  const parts = text.split('```');
  const isOpen = parts.length % 2 === 0;
  return parts
    .map((part, at) => {
      if (at % 2 === 0) return inline(part);
      if (isOpen && at === parts.length - 1) return `\`\`\`${inline(part)}`;
      return `\n\`\`\`\n${decoded(part).replace(/^\n|\n$/g, '')}\n\`\`\`\n`;
    })
    .join('')
    .trim();
}

const inline = (text: string): string =>
  text
    .split(/(`[^`\n]+`)/)
    .map((part, at) => (at % 2 === 1 ? decoded(part) : marked(part)))
    .join('');

/**
 * Links and emphasis outside of code. Links are replaced by placeholders first, because an address
 * may contain marks of emphasis.
 */
function marked(text: string): string {
  const links: string[] = [];
  const withoutLinks = text.replace(
    /<([^<>\n]+)>/g,
    (_whole, inner: string) => `\ue000${links.push(reference(inner)) - 1}\ue000`,
  );
  return decoded(emphasised(withoutLinks)).replace(/\ue000(\d+)\ue000/g, (whole, at: string) => links[Number(at)] ?? whole);
}

/** Bold and struck text outside of code, with Markdown's doubled marks. */
export const emphasised = (text: string): string =>
  text
    .replace(/(?<![\p{L}\p{N}*\\])\*(?![\s*])([^*\n]*[^*\s])\*(?![\p{L}\p{N}*])/gu, '**$1**')
    .replace(/(?<![\p{L}\p{N}~\\])~(?![\s~])([^~\n]*[^~\s])~(?![\p{L}\p{N}~])/gu, '~~$1~~');

/** The text between `<` and `>`: a mention, which becomes a name, or a link. */
function reference(inner: string): string {
  const [target = '', ...rest] = inner.split('|');
  const label = decoded(rest.join('|'));
  if (target.startsWith('@')) return `@${(label || target).replace(/^@/, '')}`;
  if (target.startsWith('#')) return `#${(label || target).replace(/^#/, '')}`;
  if (target.startsWith('!')) return special(target.slice(1), label);
  const address = webAddress(decoded(target));
  if (address) return label === '' ? address : link(label, address);
  return label || decoded(target.replace(/^mailto:/, ''));
}

/** A group, a time or everyone. */
function special(target: string, label: string): string {
  const [kind, value = ''] = target.split('^');
  if (label !== '') return label.startsWith('@') || value !== '' ? label : `@${label}`;
  if (kind === 'date') return timeOf(Number(value));
  return `@${value || target}`;
}

const entities: Record<string, string> = { '&lt;': '<', '&gt;': '>', '&amp;': '&' };
const decoded = (text: string): string => text.replace(/&(?:lt|gt|amp);/g, (entity) => entities[entity] ?? entity);
