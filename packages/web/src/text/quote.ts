import { mentionsIn } from 'chat-service-rules/markdown/mentions';
import { openFence } from './fence.ts';

/** How many characters of a message are quoted: the link leads to the rest. */
const most = 4_000;

/** So many signs may mention somebody in what is quoted; a text with more of them stays as it is. */
const mostSigns = 100;

/** What would mean something in a name. */
const marks = /[\\[\]*~`<@]/g;

/** A message as a quote: who said it, with a link to it, and its text on lines that begin with `>`. */
export function quoteOf({ author, address, text }: { author: string; address: string; text: string }): string {
  const lines = withoutMentions(text).split('\n');
  const quoted = [...lines.map((line) => `> ${line}`).join('\n')];
  const shown = quoted.length > most ? `${quoted.slice(0, most).join('')}…` : quoted.join('');
  // A block of code that was cut off would take in all that follows.
  const fence = openFence(shown);
  return `[${author.replaceAll(marks, '\\$&')}](${address}):\n${shown}${fence && `\n> ${fence}`}`;
}

/** A text that shows the same and mentions nobody: those who were mentioned have heard of it already. */
function withoutMentions(text: string): string {
  const signs = [...text.matchAll(/[@＠﹫]/g)];
  if (signs.length > mostSigns) return text;
  return signs.reduceRight((whole, { index }) => {
    // Only what was a mention gets a backslash: in code, it would be seen.
    const escaped = `${whole.slice(0, index)}\\${whole.slice(index)}`;
    return mentionsIn(escaped).length < mentionsIn(whole).length ? escaped : whole;
  }, text);
}
