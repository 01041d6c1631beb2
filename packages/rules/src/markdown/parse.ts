import { type FindEnd, fenceAt, findFenceEnds, openingFence, splitAtFence } from './fences.ts';
import { type ItemStart, indentOf, isBlankLine, itemAt, withoutIndent } from './indents.ts';
import { parseInline } from './inline.ts';
import type { Block, FoundBlock } from './pieces.ts';
import { tableAt } from './tables.ts';

/** How deep quotes and lists may be nested; what is deeper is shown as it was typed. */
const deepest = 8;

/**
 * Parses what chats use of Markdown. Every line is looked at a few times for each level of nesting, so the time is linear in the
 * length of the text, even for a hostile text. Nothing is dropped: what has no meaning here, such as HTML, stays text.
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
  // A quote of nothing would be nothing to see.
  const isEmpty = inner.every((line) => /^[>\s]*$/.test(line));
  const block: Block = isEmpty
    ? { type: 'paragraph', children: [{ type: 'text', text: typed.join('\n') }] }
    : { type: 'quote', children: parseBlocks(inner, depth + 1) };
  return { block, end };
}

/** A quote begins with `>`, unless that belongs to a comparison or a face: `>5`, `>€5`, `>=`, `>:(`, `>_<`, `>w<`. */
const quoted =
  /^ {0,3}>(?![~+.-]?\p{Sc}?\d|[=<]|\((?:\s|$)|[:;][-'^]?(?:[()|/\\DPpOo]|[\]3{}@XxSsCc](?:\s|$))|[._^-]+[<>]|[^\s<>]{1,5}<(?:\s|$)) ?/u;

function listAt(lines: string[], at: number, depth: number, inParagraph: boolean, findEnd: FindEnd): FoundBlock | undefined {
  const first = itemAt(lines[at] as string);
  // A line that happens to begin with a number, or a lone sign, is no list in the middle of a text.
  if (!first || first.text === '' || (inParagraph && first.number !== undefined && first.number !== 1)) return undefined;

  const items: Block[][] = [];
  let step: number | undefined;
  let end = at;
  for (let before: ItemStart | undefined; end < lines.length; ) {
    const item = itemAt(lines[end] as string);
    if (item?.sign !== first.sign || ruleAt(lines[end] as string, end)) break;
    if (item.number !== undefined && before?.number !== undefined) {
      // Numbers are shown as they were typed: either they count up, or all are the same and are counted for the reader.
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
  // What was taken out and put in, as in a patch or for and against, is told apart by its signs.
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

/** The line that ends the code that a line opens; none if it opens none, or nothing ends it. */
const codeEnd = (line: string, at: number, findEnd: FindEnd): number => {
  const fence = openingFence(line)?.fence;
  return (fence === undefined ? undefined : findEnd(at + 1, fence)) ?? -1;
};

/** Whether a line belongs to an item: it is indented at least so far, or blank before one that is. */
function continues(lines: string[], at: number, indent: number): boolean {
  const line = isBlankLine(lines[at] as string) ? lines[at + 1] : lines[at];
  return line !== undefined && !isBlankLine(line) && indentOf(line) >= indent;
}
