import { type FindEnd, fenceAt, findFenceEnds, openingFence, splitAtFence } from './fences.ts';
import { type ItemStart, indentOf, isBlankLine, itemAt, withoutIndent } from './indents.ts';
import { parseInline } from './inline.ts';
import type { Block, FoundBlock } from './pieces.ts';
import { tableAt } from './tables.ts';

/** The deepest nesting of quotes and lists. Deeper ones are shown as typed. */
const deepest = 8;

/**
 * Parses the subset of Markdown that chats use. Each line is read a few times per nesting level, so
 * the time is linear in the text's length, even for a hostile text. Nothing is dropped: unsupported
 * syntax, such as HTML, remains as text.
 */
export const parse = (text: string): Block[] => parseBlocks(text.split('\n'), 0);

function parseBlocks(lines: string[], depth: number): Block[] {
  const blocks: Block[] = [];
  const findEnd = findFenceEnds(lines);
  let paragraph: string[] = [];
  const endParagraph = () => {
    if (paragraph.length > 0) blocks.push({ type: 'paragraph', children: parseInline(paragraph.join('\n')) });
    paragraph = [];
  };

  for (let at = 0; at < lines.length; ) {
    const line = lines[at] as string;
    if (isBlankLine(line)) {
      endParagraph();
      at++;
      continue;
    }
    const found = /^[ \t]*(?:[`~>#|*+\-_\d]|\S.*\|)/.test(line)
      ? (fenceAt(lines, at, findEnd) ??
        headingAt(line, at) ??
        ruleAt(line, at) ??
        nestedAt(lines, at, depth, paragraph, findEnd) ??
        tableAt(lines, at))
      : undefined;
    if (found) {
      endParagraph();
      blocks.push(found.block);
      at = found.end;
      continue;
    }
    const parts = splitAtFence(lines, at);
    paragraph.push(parts?.[0] ?? line);
    if (parts) lines[at] = parts[1];
    else at++;
  }
  endParagraph();
  return blocks;
}

function headingAt(line: string, at: number): FoundBlock | undefined {
  const text = /^ {0,3}#{1,6}\s+(\S.*)$/.exec(line)?.[1];
  if (text === undefined) return undefined;
  return { block: { type: 'heading', children: parseInline(text.trimEnd()) }, end: at + 1 };
}

const ruleAt = (line: string, at: number): FoundBlock | undefined =>
  /^ {0,3}(?:(?:\*\s*){3,}|(?:-\s*){3,}|(?:_\s*){3,})$/.test(line) ? { block: { type: 'rule' }, end: at + 1 } : undefined;

const nestedAt = (lines: string[], at: number, depth: number, paragraph: string[], findEnd: FindEnd): FoundBlock | undefined =>
  depth < deepest ? (quoteAt(lines, at, depth) ?? listAt(lines, at, depth, paragraph.length > 0, findEnd)) : undefined;

function quoteAt(lines: string[], at: number, depth: number): FoundBlock | undefined {
  let end = at;
  while (end < lines.length && quoted.test(lines[end] as string)) end++;
  if (end === at) return undefined;
  const typed = lines.slice(at, end);
  const inner = typed.map((line) => line.replace(quoted, ''));
  // An empty quote would be invisible.
  const isEmpty = inner.every((line) => /^[>\s]*$/.test(line));
  const block: Block = isEmpty
    ? { type: 'paragraph', children: [{ type: 'text', text: typed.join('\n') }] }
    : { type: 'quote', children: parseBlocks(inner, depth + 1) };
  return { block, end };
}

/**
 * A quote begins with `>`, except in a comparison or a face: `>5`, `>€5`, `>=`, `>:(`, `>_<`,
 * `>w<`.
 */
const quoted =
  /^ {0,3}>(?![~+.-]?\p{Sc}?\d|[=<]|\((?:\s|$)|[:;][-'^]?(?:[()|/\\DPpOo]|[\]3{}@XxSsCc](?:\s|$))|[._^-]+[<>]|[^\s<>]{1,5}<(?:\s|$)) ?/u;

function listAt(lines: string[], at: number, depth: number, inParagraph: boolean, findEnd: FindEnd): FoundBlock | undefined {
  const first = itemAt(lines[at] as string);
  // In a paragraph, a line that begins with a number or has only a marker is not a list.
  if (!first || first.text === '' || (inParagraph && first.number !== undefined && first.number !== 1)) return undefined;

  const items: Block[][] = [];
  let step: number | undefined;
  let end = at;
  for (let before: ItemStart | undefined; end < lines.length; ) {
    const item = itemAt(lines[end] as string);
    if (item?.sign !== first.sign || ruleAt(lines[end] as string, end)) break;
    if (item.number !== undefined && before?.number !== undefined) {
      // Numbers are shown as typed. They must either count up, or be all equal, and then they are
      // counted for the reader.
      step ??= item.number === before.number ? 0 : 1;
      if (item.number !== before.number + step) break;
    }
    const inner = [item.text];
    // Code is often pasted without the indentation of its item.
    let codeUntil = codeEnd(item.text, end, findEnd);
    for (end++; end < lines.length && (end <= codeUntil || continues(lines, end, item.indent + 2)); end++) {
      const text = withoutIndent(lines[end] as string, item.textFrom);
      if (end > codeUntil) codeUntil = codeEnd(text, end, findEnd);
      inner.push(text);
    }
    items.push(parseBlocks(inner, depth + 1));
    if (end < lines.length && isBlankLine(lines[end] as string) && itemAt(lines[end + 1] ?? '')) end++;
    before = item;
  }
  // Lines with `+` and `-`, as in a patch or in pros and cons, are distinguished by their signs, so
  // they are not lists.
  if (isChange(first, lines[end]) || isChange(first, lines[at - 1])) {
    const typed = lines.slice(at, end).join('\n');
    return { block: { type: 'paragraph', children: parseInline(typed) }, end };
  }
  return { block: { type: 'list', start: first.number, items }, end };
}

const isChange = ({ sign, indent }: ItemStart, line = ''): boolean => {
  const other = /[+-]/.test(sign) ? itemAt(line) : undefined;
  return other !== undefined && other.indent === indent && /[+-]/.test(other.sign) && other.sign !== sign;
};

/** The line that closes the code which a line opens; otherwise -1. */
const codeEnd = (line: string, at: number, findEnd: FindEnd): number => {
  const fence = openingFence(line)?.fence;
  return (fence === undefined ? undefined : findEnd(at + 1, fence)) ?? -1;
};

/**
 * True if a line belongs to an item: it has at least this indentation, or is blank before a line
 * that has.
 */
function continues(lines: string[], at: number, indent: number): boolean {
  const line = isBlankLine(lines[at] as string) ? lines[at + 1] : lines[at];
  return line !== undefined && !isBlankLine(line) && indentOf(line) >= indent;
}
