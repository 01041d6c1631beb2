import { findControlCharacter } from 'chat-service-rules/texts';
import { flag, optional, type Parameter, sequence } from '../../api/parameters.ts';
import { HttpError, invalidParameter, missingParameter } from '../../base/errors.ts';
import { longestText } from '../messages.ts';
import { indexAfter, lengthOf } from './start.ts';

/** A part of a streamed text, the position that it continues, and whether the text ends with it. */
export type Chunk = { append: string; at: number; isLast: boolean };

/**
 * Text to append. It is kept as it is, so that client and service agree on positions. The complete
 * text gets the normal form of a message.
 */
const chunkText: Parameter<string> = {
  about: 'Text to append to a message that streams, with `at`. Only newlines and tabs are allowed as control characters.',
  read: (sent) =>
    typeof sent === 'string' && sent !== '' && lengthOf(sent) <= longestText && !findControlCharacter(sent) ? sent : undefined,
  fault: (sent) => {
    const found = typeof sent === 'string' ? findControlCharacter(sent) : undefined;
    return found && `not have the control character ${found.code} (line ${found.line}, character ${found.character})`;
  },
  rule: `have 1 to ${longestText} characters`,
  schema: { type: 'string', minLength: 1, maxLength: longestText },
};

/** The parameters of a change of a message that streams. */
export const chunkParameters = {
  append: optional(chunkText),
  at: optional({
    ...sequence,
    about:
      'The number of characters before `append`, or of the complete text with `is_streaming`. A repeated chunk changes nothing.',
  }),
  is_streaming: optional({ ...flag, about: 'False: the text is complete, with `append` if there is one.' }),
};

type SentChunk = { append?: string | undefined; at?: number | undefined; is_streaming?: boolean | undefined };

/** The chunk in a request; undefined if the request changes the text as a whole. */
export function chunkOf({ append, at, is_streaming }: SentChunk, text: string | undefined): Chunk | undefined {
  if (append === undefined && is_streaming === undefined) {
    if (at !== undefined) throw invalidParameter('at', "not be sent without 'append' or 'is_streaming'");
    return undefined;
  }
  if (text !== undefined) throw invalidParameter('text', "not be combined with 'append' or 'is_streaming'");
  if (is_streaming === true) throw invalidParameter('is_streaming', 'be false');
  if (at === undefined) throw missingParameter('at');
  return { append: append ?? '', at, isLast: is_streaming === false };
}

/** The header with the number of characters that the service has. */
export const lengthHeader = 'X-Stream-Length';

/** 409: the chunk does not continue the text. The client continues from the present length. */
export const wrongPosition = (length = 120) =>
  new HttpError(
    409,
    {
      title: 'Conflict',
      description: "The chunk does not continue the text. Send the text after as many characters as 'X-Stream-Length' has.",
      code: 'wrong_position',
    },
    { [lengthHeader]: String(length) },
  );

/** A text and its length in characters. */
export type StreamText = { text: string; length: number };

/**
 * Appends a chunk to a text. If the text already has a part of the chunk, appends the rest, so a
 * retry changes nothing. Throws 409 if the chunk does not continue the text.
 */
export function extend({ text, length }: StreamText, { append, at, isLast }: Chunk): StreamText {
  if (at > length || (isLast && append === '' && at !== length)) throw wrongPosition(length);
  const start = indexAfter(text, at);
  const known = text.slice(start);
  if (known.startsWith(append)) return { text, length };
  if (!append.startsWith(known)) throw wrongPosition(length);
  const longer = { text: text.slice(0, start) + append, length: at + lengthOf(append) };
  if (longer.length > longestText) throw invalidParameter('append', `not make the text longer than ${longestText} characters`);
  return longer;
}
