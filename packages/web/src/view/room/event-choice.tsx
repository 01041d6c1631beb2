import type { BotWebhook } from 'chat-service-client/contract';
import { laterStrings } from '../../i18n/strings-later.ts';
import { Failure } from '../../service/api.ts';

type EventType = BotWebhook['events'][number];
type Name = keyof typeof groups;

/** The events of a webhook, in groups that people can choose. */
const groups = {
  created: ['message.created'],
  changed: ['message.edited', 'message.deleted'],
  pinned: ['message.pinned', 'message.unpinned'],
  reactions: ['reaction.added', 'reaction.removed'],
  actions: ['action.pressed'],
  members: ['member.joined', 'member.left', 'member.kicked', 'member.banned', 'member.changed'],
  room: ['room.changed', 'room.archived'],
} satisfies Record<string, EventType[]>;
const names = Object.keys(groups) as Name[];

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
