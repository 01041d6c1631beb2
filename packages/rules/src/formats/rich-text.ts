import { lines, link } from './markdown.ts';
import type { Reader } from './reader.ts';

/* The `rich_text` blocks of Slack, which contain text in the format of its editor. */

/** The most parts of a text that are read; more than fit in a webhook's body. */
const mostParts = 10_000;

/** Converts a block of rich text to Markdown. */
export const richText = (block: Reader): string => lines(...block.at('elements').list(mostParts).map(part));

function part(sent: Reader): string {
  const elements = sent.at('elements');
  switch (sent.at('type').text()) {
    case 'rich_text_list':
      return list(sent);
    case 'rich_text_quote':
      return inline(elements).replaceAll(/^/gm, '> ');
    case 'rich_text_preformatted':
      return `\`\`\`\n${plain(elements)}\n\`\`\``;
    default:
      return inline(elements).replace(/\n$/, '');
  }
}

function list(sent: Reader): string {
  const isOrdered = sent.at('style').text() === 'ordered';
  const indent = '  '.repeat(Math.min(Math.max(0, sent.at('indent').number()), 8));
  const first = sent.at('offset').number() + 1;
  const items = sent.at('elements').list(mostParts);
  return lines(
    ...items.map((item, at) => `${indent}${isOrdered ? `${first + at}.` : '-'} ${inline(item.at('elements')).trim()}`),
  );
}

const inline = (elements: Reader): string => elements.list(mostParts).map(element).join('');

const plain = (elements: Reader): string =>
  elements
    .list(mostParts)
    .map((one) => one.first('text', 'url').text())
    .join('');

function element(sent: Reader): string {
  switch (sent.at('type').text()) {
    case 'link':
      return styled(link(sent.first('text', 'url').text(), sent.at('url').address()), sent.at('style'));
    case 'emoji':
      return emoji(sent);
    case 'user':
      return `@${sent.at('user_id').line()}`;
    case 'usergroup':
      return `@${sent.at('usergroup_id').line()}`;
    case 'channel':
      return `#${sent.at('channel_id').line()}`;
    case 'broadcast':
      return `@${sent.at('range').line()}`;
    case 'date':
      return sent.at('fallback').text() || timeOf(sent.at('timestamp').number());
    case 'color':
      return sent.at('value').line();
    default:
      return styled(sent.at('text').text(), sent.at('style'));
  }
}

/**
 * The characters of an emoji. Slack sends them as hexadecimal digits, e.g. `1f469-200d-1f4bb`, or
 * else the name.
 */
function emoji(sent: Reader): string {
  const unicode = sent.at('unicode').text();
  if (/^[0-9a-f]{2,5}(-[0-9a-f]{2,5}){0,15}$/i.test(unicode))
    return String.fromCodePoint(...unicode.split('-').map((digits) => Number.parseInt(digits, 16)));
  const name = sent.at('name').line();
  return name === '' ? '' : `:${name}:`;
}

const signs = [
  ['bold', '**'],
  ['italic', '_'],
  ['strike', '~~'],
] as const;

/**
 * A text with its styles. Spaces are moved outside of the marks, because Markdown ignores marks
 * that are next to spaces on the inside.
 */
function styled(text: string, style: Reader): string {
  const [, before = '', within = '', after = ''] = /^(\s*)([\s\S]*?)(\s*)$/.exec(text) ?? [];
  if (within === '') return text;
  const code = style.at('code').isTrue() ? `\`${within}\`` : within;
  const marks = signs.filter(([name]) => style.at(name).isTrue()).map(([, sign]) => sign);
  return `${before}${marks.join('')}${code}${marks.reverse().join('')}${after}`;
}

/** A time in readable form; the value is in seconds. */
export function timeOf(seconds: number): string {
  const time = new Date(seconds * 1_000);
  return Number.isNaN(time.getTime()) ? '' : `${time.toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}
