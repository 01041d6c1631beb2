import type { ObjectId } from 'mongodb';
import { about, id, optional } from '../../api/parameters.ts';
import { aFlag, aText, described, listOf, record } from '../../api/schema.ts';
import { notFound, type Refusal } from '../../base/errors.ts';
import type { QuestionDocument } from '../../collections/rooms/questions.ts';
import { findPersons, showPerson } from '../../identity/persons.ts';
import { findMessage, messageText } from '../../messages/messages.ts';
import { actionsParameter } from '../../messages/questions/actions.ts';
import { questionIn, questionParameters } from '../../messages/questions/question.ts';
import { nameOf, notice, noticeSchema, personSchema, showPersonOf } from '../shown.ts';
import { reads, tool } from '../tool.ts';
import { idempotencyKey, placeParameters, sendOnce, sentSchema } from './writing.ts';

export const ask = tool({
  name: 'ask',
  title: 'Ask with buttons',
  description:
    'Send a message with buttons, or with one select, that people press to answer. Read the answer with read_answer. Use `is_approval` before you do something that must not happen without consent.',
  effect: { isReadOnly: false, isDestructive: false, isIdempotent: false },
  scopes: ['messages:write'],
  input: {
    ...placeParameters,
    text: messageText,
    ...questionParameters,
    actions: actionsParameter,
    key: optional(idempotencyKey),
  },
  output: sentSchema,
  run: async ({ room, person, thread, text, key, ...question }, caller) => {
    const place = { room, person, thread };
    const sent = await sendOnce({ place, text, key, question: questionIn(question) }, caller);
    return { ...sent, text: `${sent.text} Read the answer with read_answer.` };
  },
});

const noSuchQuestion: Refusal = () => notFound('question');

const answerSchema = record('Answer', {
  action: described('The id of the pressed action.', aText),
  label: described('Its label.', aText),
  person: described('The person who pressed it.', personSchema),
  at: described('The time of the press, as ISO 8601 in UTC.', aText),
});

export const readAnswer = tool({
  name: 'read_answer',
  title: 'Read the answer',
  description: 'Read who has pressed which action of a message. Only people can press actions, never bots or agents.',
  effect: reads,
  scopes: ['messages:read'],
  input: { message: about('The message that was sent with ask.', id) },
  output: record('Answers', {
    notice: noticeSchema,
    message: described('The id of the message.', aText),
    is_open: described('Whether an answer may still come.', aFlag),
    answers: described('The answers, the first one first.', listOf(answerSchema)),
  }),
  run: async ({ message: _id }, caller) => {
    const { message, room } = await findMessage(_id, caller);
    const { question } = message;
    if (!question) throw noSuchQuestion();
    const answers = await answersOf(question);
    const is_open = isOpen(question, room.now);
    const lines = answers.map(({ label, person, at }) => `${nameOf(person)} answered "${label}" at ${at}.`);
    const state = is_open ? 'The question is open.' : 'The question is closed.';
    return {
      structured: { notice, message: message._id.toHexString(), is_open, answers },
      text: [...(lines.length > 0 ? lines : ['Nobody has answered.']), state].join('\n'),
    };
  },
});

const isOpen = ({ answers, presses, expires_at }: QuestionDocument, now: Date): boolean =>
  !(answers === 'one' && presses.length > 0) && !(expires_at && expires_at <= now);

async function answersOf({ actions, presses }: QuestionDocument) {
  const persons = await findPersons(presses.map(({ user }) => user));
  const labels = new Map(actions.map(({ id, label }) => [id, label]));
  const personOf = (user: ObjectId) => {
    const found = persons.get(user.toHexString());
    return showPersonOf({ id: user.toHexString(), ...showPerson(found) });
  };
  return presses.map(({ action, user, at }) => ({
    action,
    label: labels.get(action) ?? action,
    person: personOf(user),
    at: at.toISOString(),
  }));
}
