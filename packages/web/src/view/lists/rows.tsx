import { type ListName, listPath, route } from '../../device/routes.ts';
import { strings } from '../../i18n/strings.ts';
import { allThreads, forMe } from '../../store/rooms/rooms.ts';
import { dueReminders } from '../../store/saved.ts';
import { waitingDrafts } from '../../store/unsent/waiting.ts';
import { Icon, type IconName } from '../shared/icon.tsx';

/** A link to a list. `isForMe` shows the `count` in the colour of mentions. */
type Row = { list: ListName; icon: IconName; count?: number; isForMe?: boolean };

/**
 * The rows above the rooms. Rows that come and go are below the others, so that these do not move.
 */
const rows = (): Row[] => [
  { list: 'notifications', icon: 'bell', count: forMe.value, isForMe: true },
  { list: 'threads', icon: 'reply', count: allThreads.value },
  { list: 'saved', icon: 'save', count: dueReminders.value.length, isForMe: true },
  ...(waitingDrafts.value.length > 0 ? [{ list: 'drafts', icon: 'edit', count: waitingDrafts.value.length } as const] : []),
];

/** The links to the lists across all rooms. */
export function Rows() {
  const { value } = route;
  const open = value.name === 'list' ? value.list : value.name === 'room' ? value.panel : undefined;
  return (
    <ul class="across" aria-label={strings.lists.label}>
      {rows().map(({ list, icon, count = 0, isForMe = false }) => (
        <li key={list}>
          <a
            class="room"
            href={listPath(list)}
            aria-current={list !== open ? undefined : value.name === 'list' ? 'page' : 'true'}
          >
            <Icon name={icon} />
            <span class="name">{strings.lists[list].title}</span>
            {count > 0 && (
              <>
                <span class="visually-hidden">{strings.lists[list].count(count)}</span>
                <span class={isForMe ? 'count' : 'count plain'} aria-hidden="true">
                  {count > 99 ? '99+' : count}
                </span>
              </>
            )}
          </a>
        </li>
      ))}
    </ul>
  );
}
