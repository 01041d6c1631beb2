import { firstCharacters } from 'chat-service-rules/shortened';
import { isBlank, storable } from 'chat-service-rules/texts';
import { longestText, messageText } from '../messages/messages.ts';

/**
 * Divides a text into the texts of one or more messages. A long text is divided at the end of a
 * line or a word if possible. A block of code that is divided continues as one.
 */
export function messageTexts(text: string): string[] {
  const parts: string[] = [];
  let rest = storable(text);
  while (!fits(rest)) {
    const head = headOf(rest);
    rest = rest.slice(head.length);
    const isInCode = head.split(fence).length % 2 === 0;
    parts.push(isInCode ? `${head.trimEnd()}\n${fence}` : head);
    if (isInCode) rest = `${fence}\n${rest.replace(/^\n/, '')}`;
  }
  return [...parts, rest].map((part) => messageText.read(part) ?? '').filter((part) => !isBlank(part));
}

const fence = '```';

/**
 * Returns true if a text fits into a message. The number of code units, which is never below that
 * of characters, is faster to check.
 */
const fits = (text: string) => text.length <= longestText || [...text].length <= longestText;

/** The beginning of a long text, with space for the end of a block of code. */
function headOf(text: string): string {
  const head = firstCharacters(text, longestText - fence.length - 1);
  const at = Math.max(head.lastIndexOf('\n'), head.lastIndexOf(' '));
  return at > head.length / 2 ? head.slice(0, at + 1) : head;
}
