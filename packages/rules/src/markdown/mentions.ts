import { parse } from './parse.ts';
import { inlinesOf } from './plain.ts';

/**
 * Every mention of a text as it was typed, in order. Text in code, in an address or after a
 * backslash is not a mention.
 */
export const mentionsIn = (text: string): string[] =>
  /[@＠﹫]/.test(text) ? [...inlinesOf(parse(text))].flatMap((piece) => (piece.type === 'mention' ? [piece.text] : [])) : [];
