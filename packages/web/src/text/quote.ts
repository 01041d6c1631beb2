import { mentionsIn } from 'chat-service-rules/markdown/mentions';
import { openFence } from './fence.ts';

/** The most characters of a quote: its link leads to the rest. */
const most = 4_000;

/** The most mention signs in a quote; a text with more of them stays as it is. */
const mostSigns = 100;

/** Characters with a meaning in a name. */
const marks = /[\\[\]*~`<@]/g;

/**
 * A message as a quote: who said it, with a link to it, and its text on lines that begin with `>`.
 */
export function quoteOf({ author, address, text }: { author: string; address: string; text: string }): string {
  const lines = withoutMentions(text).split('\n');
  const quoted = [...lines.map((line) => `> ${line}`).join('\n')];
  const shown = quoted.length > most ? `${quoted.slice(0, most).join('')}…` : quoted.join('');
  // An unclosed code block would include all following text.
  const fence = openFence(shown);
  return `[${author.replaceAll(marks, '\\$&')}](${address}):\n${shown}${fence && `\n> ${fence}`}`;
}

/** Returns the text without mentions: the original has already notified the mentioned people. */
function withoutMentions(text: string): string {
  const signs = [...text.matchAll(/[@＠﹫]/g)];
  if (signs.length > mostSigns) return text;
  return signs.reduceRight((whole, { index }) => {
    // Only a mention gets a backslash: in code, it would be visible.
    const escaped = `${whole.slice(0, index)}\\${whole.slice(index)}`;
    return mentionsIn(escaped).length < mentionsIn(whole).length ? escaped : whole;
  }, text);
}
