import { paragraphs } from 'chat-service-rules/formats/markdown';
import type { Reader } from 'chat-service-rules/formats/reader';
import { action, blocksOf, mostAttachments, mostFields, mrkdwn } from 'chat-service-rules/formats/slack';
import { normaliseEmoji } from 'chat-service-rules/reactions';
import { shortened } from 'chat-service-rules/shortened';
import type { Card, CardField, Display } from '../collections/rooms/messages.ts';

/*
 * How a message in Slack's shape is to look: the name and the icon of its sender, and a card for
 * each attachment.
 */

/** Longer messages are shown as their text, which says that it was cut. */
const mostCharacters = 12_000;

const longestName = 64;

/** How a message is to look; undefined if it says nothing of that. */
export function readDisplay(sent: Reader): Display | undefined {
  const name = shortened(sent.at('username').line(), longestName);
  const icon = iconOf(sent.at('icon_emoji').text().trim());
  const attachments = sent.at('attachments').list(mostAttachments);
  const cards = attachments.map(cardOf).filter(saysSomething);
  const text = paragraphs(
    blocksOf(sent) || mrkdwn(sent.at('text').text()),
    ...attachments.map((attachment) => mrkdwn(attachment.at('pretext').text())),
  );
  const display: Display = { ...(name && { name }), ...(icon && { icon }), ...(cards.length > 0 && { text }), cards };
  const isPlain = !name && !icon && cards.length === 0;
  return isPlain || JSON.stringify(display).length > mostCharacters ? undefined : display;
}

/** An emoji, or the code of one. Pictures of other services are not shown. */
const iconOf = (text: string): string | undefined => (/^:[\w+-]{1,64}:$/.test(text) ? text : normaliseEmoji(text));

function cardOf(sent: Reader): Card {
  const found = {
    color: colorOf(sent.at('color').text().trim()),
    author: sent.at('author_name').line(),
    title: mrkdwn(sent.at('title').line()),
    url: sent.at('title_link').address(),
    text: paragraphs(
      mrkdwn(sent.at('text').text()),
      blocksOf(sent),
      sent.at('actions').list(mostFields).map(action).filter(Boolean).join(' · '),
    ),
    image_url: sent.first('image_url', 'thumb_url').address(),
    footer: sent.at('footer').line(),
    at: timeOf(sent.at('ts')),
  };
  const fields = sent.at('fields').list(mostFields).map(fieldOf);
  const card: Card = { ...withoutEmpty(found), fields };
  if (saysSomething(card)) return card;
  const fallback = mrkdwn(sent.at('fallback').text());
  return fallback ? { ...card, text: fallback } : card;
}

const fieldOf = (sent: Reader): CardField => ({
  title: sent.at('title').line(),
  value: mrkdwn(sent.at('value').text()),
  is_short: sent.at('short').isTrue(),
});

/** True if a card has more than a colour and a time. */
const saysSomething = ({ author, title, text, image_url, footer, fields }: Card): boolean =>
  [author, title, text, image_url, footer].some((part) => part !== undefined) || fields.length > 0;

/** Slack's names of colours. */
const colors: Record<string, string> = { good: '#2eb67d', warning: '#ecb22e', danger: '#e01e5a' };

function colorOf(text: string): string | undefined {
  const [, hex] = /^#?([0-9a-f]{6})$/i.exec(text) ?? [];
  return hex ? `#${hex.toLowerCase()}` : colors[text.toLowerCase()];
}

/** A time in seconds, as a number or as a text. */
function timeOf(sent: Reader): Date | undefined {
  const seconds = Number(sent.text() || Number.NaN);
  return seconds > 0 && seconds < 1e11 ? new Date(Math.trunc(seconds * 1_000)) : undefined;
}

const withoutEmpty = <T extends object>(found: T) =>
  Object.fromEntries(Object.entries(found).filter(([, value]) => value !== undefined && value !== '')) as {
    [Name in keyof T]?: Exclude<T[Name], undefined>;
  };
