import { parse } from '../../../client/src/text/parse.ts';
import { textOfBlocks } from '../../../client/src/text/plain.ts';
import type { Message } from '../api.ts';
import { safeName } from './names.ts';

/** A text on one line, without its marks: for a glance at it, not for reading. */
export const plainText = (text: string): string => textOfBlocks(parse(text)).replaceAll(/\s+/g, ' ').trim();

/** A message on one line: its text, or the names of its files. */
export const summaryOf = ({ text, files }: Pick<Message, 'text' | 'files'>): string =>
  plainText(text) || safeName((files ?? []).map(({ name }) => name).join(', '));
