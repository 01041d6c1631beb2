import { isObject } from 'chat-service-rules/objects';
import { normaliseEmoji } from 'chat-service-rules/reactions';
import { dateSchema, showDate } from '../api/extended-json.ts';
import { dateTime, type Parameter, trimmedText } from '../api/parameters.ts';
import { aNull, aText, described, eitherOf, record, type Shown } from '../api/schema.ts';
import { type StatusDocument, users } from '../collections/accounts/users.ts';
import { countNoted } from '../database/within-process.ts';

/* The status texts of users. An expired status is hidden, although it is still stored. */

/** A status, as the API shows it. */
export const aStatus = described(
  'The current status of the user, if there is one.',
  record(
    'Status',
    {
      emoji: described('The emoji of the status.', aText),
      text: described('The text; may be empty if there is an emoji.', aText),
      until: described('The end, if one is set.', dateSchema),
    },
    ['emoji', 'until'],
  ),
);
type Status = Shown<typeof aStatus>;

const most = 100;
const line = trimmedText(most);

/** A status as a parameter; null removes it. */
export const status: Parameter<StatusDocument | null> = {
  read: (sent) => (sent === null ? null : isObject(sent) ? read(sent) : undefined),
  about: 'The status that others see beside the name. Null removes it.',
  rule: `be null, or have a 'text' of at most ${most} characters, one 'emoji', or both, and maybe a time 'until'`,
  fault: (sent) => (isObject(sent) && sent.text !== undefined ? line.fault?.(sent.text) : undefined),
  schema: eitherOf(aNull, {
    title: 'NewStatus',
    type: 'object',
    properties: {
      emoji: described('The emoji of the status.', aText),
      text: described('The text; may be left out if there is an emoji.', { type: 'string', maxLength: most }),
      until: described('When it ends.', dateTime.bodySchema ?? dateTime.schema),
    },
    additionalProperties: false,
    minProperties: 1,
  }),
};

function read({ emoji: sign, text: words = '', until: end, ...others }: Record<string, unknown>): StatusDocument | undefined {
  const emoji = typeof sign === 'string' ? normaliseEmoji(sign) : undefined;
  const text = words === '' ? '' : line.read(words);
  const until = end === undefined ? undefined : dateTime.read(end);
  const isRight = (sign === undefined || emoji !== undefined) && (end === undefined || until) && Object.keys(others).length === 0;
  if (!isRight || text === undefined || (text === '' && emoji === undefined)) return undefined;
  return { ...(emoji !== undefined && { emoji }), text, ...(until && { until }) };
}

/** The current status of a user, if they have one. */
export function showStatus({ status }: { status?: StatusDocument } = {}): { status?: Status } {
  if (!status) return {};
  const { until, ...said } = status;
  if (until && until.getTime() <= Date.now()) return {};
  if (until) nextEnd = Math.min(nextEnd, until.getTime());
  return { status: { ...said, ...(until && { until: showDate(until) }) } };
}

// An expiry changes answers just like a change of an account. So it counts as a change, which
// invalidates the caches; new answers then record the next expiry.
let nextEnd = Number.POSITIVE_INFINITY;
let ended = 0;
countNoted(users.unscoped, () => {
  if (Date.now() >= nextEnd) {
    nextEnd = Number.POSITIVE_INFINITY;
    ended++;
  }
  return ended;
});
