import type { ObjectId } from 'mongodb';
import { distinct } from '../../api/extended-json.ts';
import { about, dateTime, flag, oneOf, optional, requireFuture, type Values } from '../../api/parameters.ts';
import { conflict, invalidParameter, permissionDenied, type Refusal } from '../../base/errors.ts';
import type { MessageDocument } from '../../collections/rooms/messages.ts';
import { type ActionDocument, answerRules, type QuestionDocument } from '../../collections/rooms/questions.ts';
import type { Caller } from '../../identity/caller.ts';
import { findActiveIds, noSuchUser } from '../../identity/users.ts';
import { actionsParameter, mostButtons, type SentAction } from './actions.ts';

/** The most characters of a text that is to be approved: the audit log has all of it. */
const longestApproval = 1_000;

/** The parameters that make a message a question. All but `actions` require it. */
export const questionParameters = {
  actions: optional(actionsParameter),
  is_select: about('Whether the actions are the options of one select instead of buttons.', optional(flag)),
  answers: about(
    'How many presses count: the first one, or the first one of each person. `one` if omitted.',
    optional(oneOf(...answerRules)),
  ),
  expires_at: about('The time after which no action can be pressed.', optional(dateTime)),
  is_approval: about(
    `Whether each press is recorded in the audit log with the text, which is final after the first press. The text then has at most ${longestApproval} characters.`,
    optional(flag),
  ),
};

type QuestionParameters = Values<typeof questionParameters>;

/** A question as its sender describes it. */
export type SentQuestion = Omit<QuestionParameters, 'actions'> & { actions: SentAction[] };

export const programRequired: Refusal = () =>
  permissionDenied('program_required', 'Only bots and agents can send actions, streams and status lines.');
export const questionRefusals = [programRequired, noSuchUser];

/** The question of a message that is sent; undefined for other messages. */
export function questionIn(sent: QuestionParameters): SentQuestion | undefined {
  const { actions, is_select, answers, expires_at, is_approval } = sent;
  const rest = { is_select, answers, expires_at, is_approval };
  if (!actions) {
    const stray = Object.entries(rest).find(([, value]) => value !== undefined);
    if (stray) throw invalidParameter(stray[0], "be left out without 'actions'");
    return undefined;
  }
  if (!is_select && actions.length > mostButtons) throw invalidParameter('actions', `be at most ${mostButtons} buttons`);
  return { actions, ...rest };
}

/** Whether a program speaks: a bot, or an agent for the user of its token. */
export const isProgram = ({ isWebhook, user, token }: Caller): boolean =>
  !isWebhook && (user.is_bot === true || token.agent !== undefined);

/** The question as it is stored. Throws if the caller may not ask, or has named an unknown user. */
export async function resolveQuestion(
  { actions, is_select, answers = 'one', expires_at, is_approval }: SentQuestion,
  text: string,
  caller: Caller,
): Promise<QuestionDocument> {
  if (!isProgram(caller)) throw programRequired();
  requireFuture('expires_at', expires_at);
  if (is_approval) requireApprovable(text);
  // Looked up together, because a message may have a hundred actions.
  const ids = await findActiveIds(actions.flatMap(({ who }) => (typeof who === 'string' ? [] : who)));
  const idsOf = (who: (ObjectId | string)[]) => distinct(who.map((one) => ids.get(String(one)) as ObjectId));
  const resolve = ({ who, ...action }: SentAction): ActionDocument => ({
    ...action,
    who: typeof who === 'string' ? who : idsOf(who),
  });
  return {
    actions: actions.map(resolve),
    ...(is_select && { is_select }),
    answers,
    ...(expires_at && { expires_at }),
    ...(is_approval && { is_approval }),
    version: 1,
    presses: [],
  };
}

/** Requires that the audit log can hold the whole text of an approval. */
export function requireApprovable(text: string): void {
  if (text === '' || [...text].length > longestApproval)
    throw invalidParameter('text', `have 1 to ${longestApproval} characters in a message that asks for approval`);
}

export const messageAnswered: Refusal = () =>
  conflict('message_answered', 'The message was approved or refused: its text is final.');

/**
 * Requires that nobody has answered, if the message asks for approval. Returns the condition for
 * the edit.
 */
export function requireUnanswered({ question }: MessageDocument, text: string): object {
  if (!question?.is_approval) return {};
  if (question.presses.length > 0) throw messageAnswered();
  requireApprovable(text);
  return { 'question.presses': { $size: 0 } };
}
