import { closesFence, openingFence } from 'chat-service-rules/markdown/fences';

/* Where the caret is in code, as far as that decides what a key does. */

/** The marks of quotes and items of lists before what a line says. */
const nesting = /^\s*(?:(?:>|[-*+]|\d{1,9}[.)])\s*)*/;

/** Whether a text ends within a block of code that is still open. */
export const isFenceOpen = (text: string): boolean => openFence(text) !== '';

/** The fence of the block of code that is still open where a text ends; empty without one. */
export function openFence(text: string): string {
  let open = '';
  for (const line of text.split('\n')) {
    if (open === '') open = openingFence(line.replace(nesting, ''))?.fence ?? '';
    else if (closesFence(line.replace(/^[\s>]+/, ''), open)) open = '';
  }
  return open;
}

/** Whether a text ends in code: in an open block, or after a lone backtick on its last line. */
export function endsInCode(text: string): boolean {
  if (isFenceOpen(text)) return true;
  const runs = text.slice(text.lastIndexOf('\n') + 1).match(/`+/g) ?? [];
  return runs.length % 2 === 1;
}
