import { type Inline, parseInline } from './inline.ts';

/** A block of a message's text. */
export type Block =
  | { type: 'paragraph' | 'heading'; children: Inline[] }
  | { type: 'code'; text: string; language: string }
  | { type: 'quote'; children: Block[] }
  | { type: 'list'; start: number | undefined; items: Block[][] }
  | { type: 'table'; head: Inline[][]; rows: Inline[][][] }
  | { type: 'rule' };

/** How deep quotes and lists may be nested; what is deeper is shown as it was typed. */
const deepest = 8;

/**
 * Parses what chats use of Markdown. Every line is looked at once for each level of nesting, so the time is linear in the length of the text,
 * whoever wrote it. Nothing is dropped: what has no meaning here, such as HTML, stays text.
 */
export const parse = (text: string): Block[] => parseBlocks(text.split('\n'), 0);

function parseBlocks(lines: string[], depth: number): Block[] {
  const blocks: Block[] = [];
  let paragraph: string[] = [];
  const endParagraph = () => {
    if (paragraph.length > 0) blocks.push({ type: 'paragraph', children: parseInline(paragraph.join('\n')) });
    paragraph = [];
  };

  for (let at = 0; at < lines.length; ) {
    const line = lines[at] as string;
    if (/^\s*$/.test(line)) {
      endParagraph();
      at++;
      continue;
    }
    const found = blockAt(lines, at, depth, paragraph.length > 0);
    if (found) {
      endParagraph();
      blocks.push(found.block);
      at = found.end;
    } else {
      paragraph.push(line);
      at++;
    }
  }
  endParagraph();
  return blocks;
}

/** A block, and the line after it. */
type Found = { block: Block; end: number };

/** The block other than a paragraph that begins at a line, if there is one. */
function blockAt(lines: string[], at: number, depth: number, inParagraph: boolean): Found | undefined {
  const line = lines[at] as string;
  const marker = /^ {0,3}([`~>#|*+\-_\d]|\S.*\|)/.exec(line)?.[1];
  if (marker === undefined) return undefined;
  return (
    codeAt(lines, at) ??
    headingAt(line, at) ??
    ruleAt(line, at) ??
    (depth < deepest ? (quoteAt(lines, at, depth) ?? listAt(lines, at, depth, inParagraph)) : undefined) ??
    tableAt(lines, at)
  );
}

function codeAt(lines: string[], at: number): Found | undefined {
  const [, indent = '', fence = '', language = ''] = /^( {0,3})(`{3,}|~{3,})\s*([^`]*)$/.exec(lines[at] as string) ?? [];
  if (fence === '') return undefined;
  const isEnd = (line: string) => {
    const bare = line.trim();
    return bare.length >= fence.length && bare[0] === fence[0] && /^(`+|~+)$/.test(bare);
  };
  let end = at + 1;
  while (end < lines.length && !isEnd(lines[end] as string)) end++;
  const text = lines.slice(at + 1, end).map((line) => withoutIndent(line, indent.length));
  return { block: { type: 'code', text: text.join('\n'), language: language.trim().split(/\s/)[0] ?? '' }, end: end + 1 };
}

function headingAt(line: string, at: number): Found | undefined {
  const text = /^ {0,3}#{1,6}\s+(\S.*)$/.exec(line)?.[1];
  if (text === undefined) return undefined;
  return { block: { type: 'heading', children: parseInline(text.trimEnd()) }, end: at + 1 };
}

const ruleAt = (line: string, at: number): Found | undefined =>
  /^ {0,3}(?:(?:\*\s*){3,}|(?:-\s*){3,}|(?:_\s*){3,})$/.test(line) ? { block: { type: 'rule' }, end: at + 1 } : undefined;

function quoteAt(lines: string[], at: number, depth: number): Found | undefined {
  let end = at;
  while (end < lines.length && quoted.test(lines[end] as string)) end++;
  if (end === at) return undefined;
  const inner = lines.slice(at, end).map((line) => line.replace(quoted, ''));
  return { block: { type: 'quote', children: parseBlocks(inner, depth + 1) }, end };
}

const quoted = /^ {0,3}> ?/;

/** An item's indentation, its marker, and where its text begins. */
const itemStart = /^( *)([-*+]|\d{1,9}[.)])(?: +(?=\S)|$)/;

function listAt(lines: string[], at: number, depth: number, inParagraph: boolean): Found | undefined {
  const first = itemStart.exec(lines[at] as string);
  if (!first || (first[1] as string).length > 3) return undefined;
  const kind = kindOf(first);
  const start = kind === '1' ? Number.parseInt(first[2] as string, 10) : undefined;
  const isEmpty = first[0].length === (lines[at] as string).length;
  // A line that happens to begin with a number, or a lone sign, is no list in the middle of a text.
  if (isEmpty || (inParagraph && start !== undefined && start !== 1)) return undefined;

  const items: Block[][] = [];
  let end = at;
  while (end < lines.length) {
    const line = lines[end] as string;
    const marker = itemStart.exec(line);
    if (!marker || (marker[1] as string).length > 3 || kindOf(marker) !== kind || ruleAt(line, end)) break;
    const indent = marker[0].length;
    const inner = [line.slice(indent)];
    for (end++; end < lines.length && continues(lines, end, indent); end++)
      inner.push(withoutIndent(lines[end] as string, indent));
    items.push(parseBlocks(inner, depth + 1));
    if (isBlank(lines[end]) && itemStart.test(lines[end + 1] ?? '')) end++;
  }
  return { block: { type: 'list', start, items }, end };
}

/** Whether a line belongs to an item whose text is indented so far: it is indented as far, or blank before one that is. */
function continues(lines: string[], at: number, indent: number): boolean {
  const line = isBlank(lines[at]) ? lines[at + 1] : lines[at];
  return line !== undefined && !isBlank(line) && indentOf(line) >= Math.min(indent, 2);
}

const kindOf = ([, , marker = '']: RegExpExecArray) => (/\d/.test(marker) ? '1' : marker);
const isBlank = (line: string | undefined) => line !== undefined && line.trim() === '';
const indentOf = (line: string) => line.length - line.trimStart().length;
const withoutIndent = (line: string, most: number) => line.slice(Math.min(most, indentOf(line)));

function tableAt(lines: string[], at: number): Found | undefined {
  const delimiters = lines[at + 1];
  if (delimiters === undefined || !/^ {0,3}\|?[ :|-]*-[ :|-]*$/.test(delimiters) || !delimiters.includes('|')) return undefined;
  const head = cellsOf(lines[at] as string);
  if (head.length !== cellsOf(delimiters).length || head.length > mostColumns) return undefined;
  let end = at + 2;
  while (end < lines.length && (lines[end] as string).includes('|')) end++;
  const rows = lines.slice(at + 2, end).map((line) => {
    const cells = cellsOf(line);
    return head.map((_, column) => parseInline(cells[column] ?? ''));
  });
  return { block: { type: 'table', head: head.map((cell) => parseInline(cell)), rows }, end };
}

const mostColumns = 20;

/** The cells of a line; `\|` is a bar inside of one. */
const cellsOf = (line: string): string[] =>
  line
    .trim()
    .replace(/^\||\|$/g, '')
    .split(/(?<!\\)\|/)
    .map((cell) => cell.replaceAll('\\|', '|').trim());
