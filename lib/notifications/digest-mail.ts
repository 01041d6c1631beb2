import { beginningOf } from 'chat-service-rules/shortened';
import { digestAddress } from '../accounts/digest-links.ts';
import type { Mail } from '../net/mail.ts';
import { config } from '../settings/config.ts';
import type { DigestNews } from './digest-news.ts';

/** How many characters a name has at most. */
const mostName = 100;

/**
 * The e-mail about what somebody has not read. Its receiver ends such e-mails by one click (RFC
 * 8058), or on a page.
 */
export function digestMail(to: string, { messages, isMore }: DigestNews, link: string): Mail {
  const { brandName, publicUrl } = config;
  const address = digestAddress(link);
  const told = messages.map(({ room, seq, author, room_name, text, thread }) => {
    const place = thread === undefined ? `/rooms/${room}/${seq}` : `/rooms/${room}?thread=${thread}&reply=${seq}`;
    const from = room_name === undefined ? plain(author) : `${plain(author)} in ${plain(room_name)}`;
    return `${from}${text === undefined ? '' : `:\n> ${plain(text, 300)}`}\n${publicUrl}${place}`;
  });
  return {
    to,
    subject: `Unread messages in ${brandName}`,
    text: `You have not read these messages yet:

${told.join('\n\n')}
${isMore ? `\nThere are more: ${publicUrl}/\n` : ''}
You get this e-mail at most once a day, after a day away. To stop these e-mails, open this page, or change your settings:

${address}
`,
    headers: {
      'Auto-Submitted': 'auto-generated',
      'List-Unsubscribe': `<${address}>`,
      // By https alone (RFC 8058, 3.1).
      ...(address.startsWith('https:') && { 'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click' }),
    },
  };
}

/**
 * A text of others in one line, without characters that would reorder or hide neighbouring text.
 */
const plain = (text: string, most = mostName): string =>
  beginningOf(
    text.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ').replaceAll(/[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, ''),
    most,
  );
