import { closesFence, openingFence } from 'chat-service-rules/markdown/fences';

/* The position of the caret in code, as far as it affects keys. */

/** The marks of quotes and items of lists before what a line says. */
const nesting = /^\s*(?:(?:>|[-*+]|\d{1,9}[.)])\s*)*/;

/** True if a text ends within an open code block. */
export const isFenceOpen = (text: string): boolean => openFence(text) !== '';

/** The fence of the code block that is open at the end of a text; empty without one. */
export function openFence(text: string): string {
  let open = '';
  for (const line of text.split('\n')) {
    if (open === '') open = openingFence(line.replace(nesting, ''))?.fence ?? '';
    else if (closesFence(line.replace(/^[\s>]+/, ''), open)) open = '';
  }
  return open;
}

/** True if a text ends in code: in an open block, or after a lone backtick on its last line. */
export function endsInCode(text: string): boolean {
  if (isFenceOpen(text)) return true;
  const runs = text.slice(text.lastIndexOf('\n') + 1).match(/`+/g) ?? [];
  return runs.length % 2 === 1;
}
