import { parse } from 'chat-service-rules/markdown/parse';
import { textOfBlocks } from 'chat-service-rules/markdown/plain';
import type { Message } from '../service/api.ts';
import { safeName } from './names.ts';

/** A text on one line, without its marks: for a glance at it, not for reading. */
export const plainText = (text: string): string => textOfBlocks(parse(text)).replaceAll(/\s+/g, ' ').trim();

/** A message on one line: its text, or the names of its files. */
export const summaryOf = ({ text, files }: Pick<Message, 'text' | 'files'>): string =>
  plainText(text) || safeName((files ?? []).map(({ name }) => name).join(', '));
