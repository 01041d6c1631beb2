import { isBlank, storable } from 'chat-service-rules/texts';
import { longestText, messageText } from '../messages/messages.ts';

/**
 * A text as the texts of one message or more: one that is too long is divided, at the end of a line or a word where
 * there is one, and a block of code that is cut goes on as one.
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

/** Whether a message can have it; code units are at least as many as characters, and quicker to count. */
const fits = (text: string) => text.length <= longestText || [...text].length <= longestText;

/** The beginning of a text that is too long, with space for the end of a block of code. */
function headOf(text: string): string {
  const head = [...text.slice(0, 2 * longestText)].slice(0, longestText - fence.length - 1).join('');
  const at = Math.max(head.lastIndexOf('\n'), head.lastIndexOf(' '));
  return at > head.length / 2 ? head.slice(0, at + 1) : head;
}
