import type { Values } from '../api/parameters.ts';
import type { Display, MessageDocument } from '../collections/rooms/messages.ts';
import type { Caller } from '../identity/caller.ts';
import { displayFields } from './display.ts';
import { questionIn, questionParameters, questionRefusals, resolveQuestion, type SentQuestion } from './questions/question.ts';
import { questionFields, weightOfQuestion } from './questions/shown.ts';

/*
 * The content of a message besides its text and its files. A new kind is a field of `Content` and
 * `SentContent`, and a part of each function below.
 */

/** The content as its message stores it. */
export type Content = Pick<MessageDocument, 'display' | 'question'>;

/** The content as its sender describes it. */
export type SentContent = {
  /** How another program wants the message to look. */
  display?: Display | undefined;
  /** The question of a bot or an agent. */
  question?: SentQuestion | undefined;
};

/** The parameters of a request that sends content. */
export const contentParameters = { ...questionParameters };

/** The content in a request. */
export const contentIn = (sent: Values<typeof contentParameters>): SentContent => ({ question: questionIn(sent) });

export const contentRefusals = [...questionRefusals];

/** Adds the content to the hash of an idempotency key. */
export const hashedContent = ({ question }: SentContent): unknown[] => (question ? [question] : []);

/** The content as it is stored. Throws if the caller may not send it. */
export async function resolveContent({ display, question }: SentContent, text: string, caller: Caller): Promise<Content> {
  return {
    ...(display && { display }),
    ...(question && { question: await resolveQuestion(question, text, caller) }),
  };
}

/** Removes the content from a stored message. */
export const unsetContent: Record<keyof Content, ''> = { display: '', question: '' };

/** The approximate size of the content in bytes. The text has the texts of the cards already. */
export const weightOfContent = ({ question }: Content): number => (question ? weightOfQuestion(question) : 0);

/** The fields of a message with content, which other messages lack. */
export const contentFields = { ...displayFields, ...questionFields };
export const contentFieldNames = Object.keys(contentFields) as (keyof typeof contentFields)[];
