import { parse } from '../../../client/src/text/parse.ts';
import { textOfBlocks } from '../../../client/src/text/plain.ts';

/** A text on one line, without its marks: for a glance at it, not for reading. */
export const plainText = (text: string): string => textOfBlocks(parse(text)).replaceAll(/\s+/g, ' ').trim();
