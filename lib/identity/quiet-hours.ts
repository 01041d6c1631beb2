import { isObject } from 'chat-service-rules/objects';
import { clockIn, type QuietHours } from 'chat-service-rules/quiet-hours';
import type { Parameter } from '../api/parameters.ts';
import { aNull, aText, described, eitherOf, record } from '../api/schema.ts';
import { invalidParameter } from '../base/errors.ts';

const timeOfDay = '^([01]\\d|2[0-3]):[0-5]\\d$';
const zone = '^[A-Za-z0-9_+/-]{1,64}$';

/** The daily hours without notifications, as the API shows them. */
export const aQuietHours = described(
  'The daily hours without notifications, if set.',
  record('QuietHours', {
    from: described('When they begin, such as `22:00`.', aText),
    to: described('The end, such as `07:00`; on the next day if it is earlier than the start.', aText),
    time_zone: described('The time zone of both, such as `Europe/Berlin`.', aText),
  }),
);

/** The daily hours without notifications as a parameter; null removes them. */
export const quietHours: Parameter<QuietHours | null> = {
  read: (sent) => (sent === null ? null : isObject(sent) ? read(sent) : undefined),
  about: 'The daily hours without notifications; null removes them.',
  rule: "be null, or have two times 'from' and 'to' such as '22:00' and '07:00', and a 'time_zone' such as 'Europe/Berlin'",
  schema: eitherOf(aNull, {
    title: 'NewQuietHours',
    type: 'object',
    properties: {
      from: described('When they begin.', { type: 'string', pattern: timeOfDay }),
      to: described('The end; on the next day if it is earlier than the start.', { type: 'string', pattern: timeOfDay }),
      time_zone: described('A time zone, by its name in the IANA database.', { type: 'string', pattern: zone }),
    },
    required: ['from', 'to', 'time_zone'],
    additionalProperties: false,
  }),
};

function read({ from, to, time_zone, ...others }: Record<string, unknown>): QuietHours | undefined {
  const isTime = (sent: unknown): sent is string => typeof sent === 'string' && new RegExp(timeOfDay).test(sent);
  const isZone = typeof time_zone === 'string' && new RegExp(zone).test(time_zone);
  return isTime(from) && isTime(to) && isZone && Object.keys(others).length === 0 ? { from, to, time_zone } : undefined;
}

/** Refuses, with 400, hours that are empty or have an unknown time zone. */
export function requireHours({ from, to, time_zone }: QuietHours): void {
  if (from === to) throw invalidParameter('quiet_hours', "have two different times 'from' and 'to'");
  if (clockIn(time_zone, new Date()) === undefined)
    throw invalidParameter('quiet_hours', "have a 'time_zone' that there is, such as 'Europe/Berlin'");
}
