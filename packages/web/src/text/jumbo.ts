import type { Block } from 'chat-service-rules/markdown/pieces';

const fewEmoji = /^\s*(?:\p{RGI_Emoji}\s*){1,3}$/v;

/**
 * True if a text is one to three emoji and nothing else: they are shown large. `emojiOf` resolves
 * codes.
 */
export function isJumbo([block, ...others]: readonly Block[], emojiOf: (code: string) => string | undefined): boolean {
  if (block?.type !== 'paragraph' || others.length > 0) return false;
  const texts = block.children.map((piece) =>
    piece.type === 'text' ? piece.text : piece.type === 'emoji' ? emojiOf(piece.text) : undefined,
  );
  return texts.every((text) => text !== undefined) && fewEmoji.test(texts.join(''));
}
