import { roles } from 'chat-service-rules/permissions';
import { dateSchema, idSchema, showDate, showId } from '../../api/extended-json.ts';
import { shownFrom } from '../../api/representation.ts';
import { aCount, aText, aTrue, aWord, described, eitherOf, listOf, record } from '../../api/schema.ts';
import {
  type ActionDocument,
  actionStyles,
  answerRules,
  type PressDocument,
  type QuestionDocument,
} from '../../collections/rooms/questions.ts';

const actionSchema = record(
  'Action',
  {
    id: described('The id, unique in the message.', aText),
    label: described('The words on the button, or of the option.', aText),
    style: described('The look of the button.', aWord(...actionStyles)),
    who: described(
      'The people who may press it: members with at least this role, or these users.',
      eitherOf(aWord(...roles), listOf(idSchema)),
    ),
    confirm: described('A question to ask before the press.', aText),
  },
  ['confirm'],
);

const pressSchema = record('Press', {
  action: described('The id of the action.', aText),
  user: described('The user who pressed it.', idSchema),
  at: described('The time, by the clock of the database.', dateSchema),
});

const showAction = ({ who, ...action }: ActionDocument) => ({ ...action, who: typeof who === 'string' ? who : who.map(showId) });

const showPress = ({ action, user, at }: PressDocument) => ({ action, user: showId(user), at: showDate(at) });

const { made } = shownFrom<{ question?: QuestionDocument }>();

/** The fields of a message with actions, which other messages lack. */
export const questionFields = {
  actions: made(described('The buttons below the message, or the options of its select.', listOf(actionSchema)), ({ question }) =>
    question?.actions.map(showAction),
  ),
  is_select: made(
    described('Present, and true, if the actions are the options of one select.', aTrue),
    ({ question }) => question?.is_select,
  ),
  answers: made(
    described('How many presses count: the first one, or the first one of each person.', aWord(...answerRules)),
    ({ question }) => question?.answers,
  ),
  expires_at: made(
    described('The time after which no action can be pressed.', dateSchema),
    ({ question }) => question?.expires_at && showDate(question.expires_at),
  ),
  is_approval: made(
    described('Present, and true, if each press is recorded in the audit log.', aTrue),
    ({ question }) => question?.is_approval,
  ),
  version: made(described('The version of the text, from 1; each edit adds 1.', aCount), ({ question }) => question?.version),
  presses: made(described('The presses, the first one first.', listOf(pressSchema)), ({ question }) =>
    question?.presses.map(showPress),
  ),
};

/** The approximate size of a question as JSON, in bytes. */
export const weightOfQuestion = ({ actions, presses }: QuestionDocument): number =>
  Buffer.byteLength(JSON.stringify(actions)) + bytesOfPress * presses.length;
const bytesOfPress = 180;
