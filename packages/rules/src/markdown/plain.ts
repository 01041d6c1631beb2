import type { Block, Inline } from './pieces.ts';

/** The text of blocks without marks. Each block is on separate lines. */
export const textOfBlocks = (blocks: readonly Block[]): string => blocks.map(textOfBlock).join('\n');

function textOfBlock(block: Block): string {
  switch (block.type) {
    case 'paragraph':
    case 'heading':
      return textOf(block.children);
    case 'code':
      return [block.language, block.text].filter(Boolean).join('\n');
    case 'quote':
      return textOfBlocks(block.children);
    case 'list':
      return block.items.map((item, at) => `${markerOf(block.start, at)} ${textOfBlocks(item)}`).join('\n');
    case 'table':
      return [block.head, ...block.rows].map((row) => row.map(textOf).join(' | ')).join('\n');
    default:
      return '';
  }
}

const markerOf = (start: number | undefined, at: number) => (start === undefined ? '-' : `${start + at}.`);

/** The text of pieces without marks. */
export const textOf = (pieces: readonly Inline[]): string => pieces.map(textOfPiece).join('');

const textOfPiece = (piece: Inline): string => {
  if (!('children' in piece)) return piece.text;
  return textOf(piece.children) + (piece.type === 'link' && piece.title ? ` (${piece.title})` : '');
};

/** All pieces of blocks, including nested ones. */
export function* inlinesOf(blocks: readonly Block[]): Generator<Inline> {
  for (const block of blocks)
    if (block.type === 'paragraph' || block.type === 'heading') yield* within(block.children);
    else if (block.type === 'quote') yield* inlinesOf(block.children);
    else if (block.type === 'list') for (const item of block.items) yield* inlinesOf(item);
    else if (block.type === 'table') for (const row of [block.head, ...block.rows]) for (const cell of row) yield* within(cell);
}

function* within(pieces: readonly Inline[]): Generator<Inline> {
  for (const piece of pieces) {
    yield piece;
    if ('children' in piece) yield* within(piece.children);
  }
}
