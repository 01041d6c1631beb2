import { parse } from './parse.ts';
import { inlinesOf } from './plain.ts';

/** Every mention of a text as it was typed, in order. Text in code or in an address, or after a backslash, mentions nobody. */
export const mentionsIn = (text: string): string[] =>
  /[@＠﹫]/.test(text) ? [...inlinesOf(parse(text))].flatMap((piece) => (piece.type === 'mention' ? [piece.text] : [])) : [];
