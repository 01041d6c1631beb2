import type { Action, Role } from 'chat-service-rules/permissions';
import type { ObjectId } from 'mongodb';
import { about, integer, optional, type Values } from '../../api/parameters.ts';
import { audited, byCaller } from '../../audit/append.ts';
import { conflict, HttpError, missingParameter, notFound, permissionDenied, type Refusal } from '../../base/errors.ts';
import type { MessageDocument } from '../../collections/rooms/messages.ts';
import type { ActionDocument, PressDocument, QuestionDocument } from '../../collections/rooms/questions.ts';
import type { Caller } from '../../identity/caller.ts';
import { findPersons, showPerson } from '../../identity/persons.ts';
import type { RoomContext } from '../../rooms/contexts.ts';
import { refusalsOf, requirePermission } from '../../rooms/permissions.ts';
import { type Change, changeMessage, messageDeleted, requireNotDeleted } from '../change.ts';
import { findMessage, type Message } from '../messages.ts';
import { isProgram } from '../questions/question.ts';

/** The most presses of a message. */
const mostPresses = 1_000;

export const pressParameters = {
  version: about(
    'The version of the text that was read; required for an approval. If the text was edited since, the press is refused.',
    optional(integer(1, Number.MAX_SAFE_INTEGER)),
  ),
};

export const noSuchAction: Refusal = () => notFound('action');
const personRequired: Refusal = () => permissionDenied('person_required', 'Bots and agents cannot press actions.');
const notAsked: Refusal = () => permissionDenied('not_asked', 'This action is for other people.');
const actionExpired: Refusal = () => conflict('action_expired', 'The time for an answer is over.');
const messageChanged: Refusal = () => conflict('message_changed', 'The message was edited. Read it again before you answer.');
const answersFull: Refusal = () => conflict('answers_full', 'The message cannot take more answers.');
const alreadyAnswered = (how = 'Somebody has already answered.') => conflict('already_answered', how);

const permissions: Record<Role, Action> = { member: 'press', moderator: 'pressAsModerator', owner: 'pressAsOwner' };

export const pressRefusals: Refusal[] = [
  noSuchAction,
  personRequired,
  notAsked,
  ...refusalsOf('press'),
  ...refusalsOf('pressAsModerator'),
  ...refusalsOf('pressAsOwner'),
  messageDeleted,
  actionExpired,
  messageChanged,
  answersFull,
  () => alreadyAnswered(),
];

type AskedPress = { message: ObjectId; action: string } & Values<typeof pressParameters>;

/**
 * Presses an action of a message. A repeated press of the same action by the same user changes
 * nothing. The press of an approval is recorded in the audit log first, like other audited acts:
 * if somebody else is faster, a second entry says that it was refused.
 */
export async function pressAction({ message: _id, action: id, version }: AskedPress, caller: Caller): Promise<Message> {
  if (isProgram(caller)) throw personRequired();
  const decide = (message: MessageDocument, room: RoomContext, read = version) =>
    decideOnPress(message, room, { id, version: read, caller });
  try {
    const { message, room } = await findMessage(_id, caller);
    const { question } = message;
    if (!question?.is_approval || !decide(message, room)) return await changeMessage(_id, caller, decide);
    const act = { action: 'action.pressed', target: { kind: 'room', id: room._id, name: room.name } } as const;
    const details = detailsOf(message, question, id, caller);
    return await audited([{ ...act, details }], byCaller(caller), () =>
      changeMessage(_id, caller, (found, context) => {
        const change = decide(found, context, question.version);
        if (!change) throw pressRepeated();
        return change;
      }),
    );
  } catch (error) {
    if (error instanceof AnsweredError) throw await describeAnswer(error);
    if (error instanceof HttpError && error.body?.code === 'press_repeated') return changeMessage(_id, caller, decide);
    throw error;
  }
}

/** For the audit log: the same request, at the same moment, has pressed the action. */
const pressRepeated: Refusal = () => conflict('press_repeated', 'This press was recorded before.');

/** The evidence: which text, and which version of it, the person has answered, and how. */
const detailsOf = (
  { _id, text, user }: MessageDocument,
  question: QuestionDocument,
  id: string,
  { token }: Caller,
): Record<string, string> => ({
  message: _id.toHexString(),
  version: String(question.version),
  asked_by: user.toHexString(),
  text,
  action: id,
  label: actionOf(question, id)?.label ?? '',
  ...(token.kind === 'api' && { token: token._id.toHexString() }),
});

const actionOf = ({ actions }: QuestionDocument, id: string): ActionDocument | undefined => actions.find((one) => one.id === id);

/** The question has an answer that excludes another one. */
class AnsweredError extends HttpError {
  readonly press: PressDocument;
  readonly label: string;

  constructor(press: PressDocument, label: string) {
    super(409, alreadyAnswered().body);
    this.press = press;
    this.label = label;
  }
}

/** The error for a late press: it names the person who answered, the answer, and the time. */
async function describeAnswer({ press: { user, at }, label }: AnsweredError): Promise<HttpError> {
  const { username } = showPerson((await findPersons([user])).get(user.toHexString()));
  return alreadyAnswered(`${username} answered '${label}' at ${at.toISOString()}.`);
}

type Press = { id: string; version: number | undefined; caller: Caller };

/** The change that a press makes; undefined for a repeated one. Throws if the press is refused. */
function decideOnPress(message: MessageDocument, room: RoomContext, { id, version, caller }: Press): Change | undefined {
  requirePermission(room, 'press');
  requireNotDeleted(message);
  const { question } = message;
  const pressed = question && actionOf(question, id);
  if (!question || !pressed) throw noSuchAction();
  const user = caller.user._id;
  const own = question.presses.find((press) => press.user.equals(user));
  if (own?.action === id) return undefined;
  const action = typeof pressed.who === 'string' ? permissions[pressed.who] : 'press';
  requirePermission(room, action);
  if (typeof pressed.who !== 'string' && !pressed.who.some((one) => one.equals(user))) throw notAsked();
  const earlier = question.answers === 'one' ? question.presses[0] : own;
  if (earlier) throw new AnsweredError(earlier, actionOf(question, earlier.action)?.label ?? earlier.action);
  const { expires_at } = question;
  if (expires_at && expires_at <= room.now) throw actionExpired();
  if (version === undefined && question.is_approval) throw missingParameter('version');
  if (version !== undefined && version !== question.version) throw messageChanged();
  if (question.presses.length >= mostPresses) throw answersFull();
  return {
    action,
    type: 'action.pressed',
    where: {
      // The actions, `who` and `expires_at` never change. The room's update has checked the role.
      'question.version': question.version,
      'question.presses': question.answers === 'one' ? { $size: 0 } : { $not: { $elemMatch: { user } } },
      [`question.presses.${mostPresses - 1}`]: { $exists: false },
    },
    ...(expires_at && { whereAt: ({ at }) => ({ 'question.expires_at': { $gt: at } }) }),
    update: ({ at }) => ({ $push: { 'question.presses': { user, action: id, at } } }),
  };
}
