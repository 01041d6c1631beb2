/* Where the caret is in code, as far as that decides what a key does. */

/** The marks that may open a block of code on a line, also in a quote or an item of a list, and what follows them. */
const marks = /^\s*(?:(?:>|[-*+]|\d{1,9}[.)])\s*)*(`{3,}|~{3,})(.*)/;

/** Whether a text ends within a block of code that is still open. */
export function isFenceOpen(text: string): boolean {
  let open = '';
  for (const line of text.split('\n')) {
    if (open === '') open = openedBy(line);
    else if (closes(line, open)) open = '';
  }
  return open !== '';
}

/** Whether a text ends in code: in an open block, or behind a lone backtick on its last line. */
export function endsInCode(text: string): boolean {
  if (isFenceOpen(text)) return true;
  const runs = text.slice(text.lastIndexOf('\n') + 1).match(/`+/g) ?? [];
  return runs.length % 2 === 1;
}

/** The marks by which a line opens a block; none if the line has the marks that would close it. */
function openedBy(line: string): string {
  const [, fence = '', rest = ''] = marks.exec(line) ?? [];
  return rest.includes(fence[0] === '`' ? '`' : '~~~') ? '' : fence;
}

function closes(line: string, open: string): boolean {
  const bare = line.replace(/^[\s>]+/, '').trimEnd();
  return bare.length >= open.length && bare === (open[0] as string).repeat(bare.length);
}
