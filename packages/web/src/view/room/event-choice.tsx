import type { BotWebhook } from 'chat-service-client/contract';
import { eventGroups } from 'chat-service-rules/event-types';
import { laterStrings } from '../../i18n/strings-later.ts';
import { Failure } from '../../service/api.ts';

type EventType = BotWebhook['events'][number];

const groups: Record<keyof typeof eventGroups, readonly EventType[]> = eventGroups;
const names = Object.keys(groups) as (keyof typeof eventGroups)[];

/** The choice of events for a webhook: a checkbox for each group. */
export const EventChoice = ({ chosen = groups.created }: { chosen?: readonly EventType[] }) => (
  <fieldset>
    <legend>{laterStrings.webhooks.what}</legend>
    {names.map((name) => (
      <label class="check" key={name}>
        <input type="checkbox" name={name} defaultChecked={groups[name].some((type) => chosen.includes(type))} />{' '}
        {laterStrings.webhooks.events[name]}
      </label>
    ))}
  </fieldset>
);

/**
 * The chosen event types, by the fields of the form. A group that a program has chosen in part
 * stays as it is. An empty choice is refused, as by the service.
 */
export function eventsIn(fields: Record<string, string>, before: readonly EventType[] = []): EventType[] {
  const events = names.flatMap((name) => {
    const kept = groups[name].filter((type) => before.includes(type));
    return name in fields ? (kept.length > 0 ? kept : groups[name]) : [];
  });
  if (events.length === 0) throw new Failure(400, laterStrings.webhooks.chooseSome);
  return events;
}
