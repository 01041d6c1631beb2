import { signal } from '@preact/signals';
import { firstCharacters } from 'chat-service-rules/shortened';
import { useEffect, useRef } from 'preact/hooks';
import { roomPath } from '../../device/routes.ts';
import { capitalised } from '../../i18n/dates.ts';
import { momentInWords } from '../../i18n/moments.ts';
import { laterStrings } from '../../i18n/strings-later.ts';
import { readUpTo } from '../../notify/noticed.ts';
import type { Notification } from '../../service/api.ts';
import { idOf } from '../../service/ids.ts';
import { readFound } from '../../store/found.ts';
import { readPage } from '../../store/read-page.ts';
import { allMentions, noticed, roomOf } from '../../store/rooms/rooms.ts';
import { safeName } from '../../text/names.ts';
import { summaryOf } from '../../text/plain.ts';
import { Avatar } from '../people/avatar.tsx';
import { PersonName } from '../shared/controls.tsx';
import { Pages } from '../shared/pages.tsx';
import { pathOf, Results } from './results.tsx';

/** Stays as it is when the list is drawn again beside another room. */
const mentionsOnly = signal(false);

/** The notifications of all rooms, or the mentions alone. Opening the list marks them as read. */
export function Notifications() {
  const isMentions = mentionsOnly.value;
  const choose = () => {
    mentionsOnly.value = !isMentions;
  };
  const words = laterStrings.notifications;
  return (
    <>
      <label class="check side-option">
        <input type="checkbox" checked={isMentions} onChange={choose} /> {words.onlyMentions}
      </label>
      <div class="side-content">
        {isMentions ? (
          <Pages
            key="mentions"
            read={readMentions}
            turn={allMentions.value}
            none={words.noMentions}
            kept={{ name: 'mentions', id: idOf }}
          >
            {(found) => <Results messages={found} />}
          </Pages>
        ) : (
          <Pages
            key="all"
            read={readNotifications}
            turn={`${noticed.value} ${allMentions.value}`}
            none={words.none}
            kept={{ name: 'notifications', id: keyOf }}
          >
            {(found) => <All found={found} />}
          </Pages>
        )}
      </div>
    </>
  );
}

const readMentions = (after?: string) => readFound({ mentions: 'me', limit: 50 }, after);

const readNotifications = (after?: string) => readPage('/api/notifications', {}, after);

const keyOf = ({ kind, room, seq, at }: Notification): string => `${kind} ${room.$oid} ${seq} ${at.$date}`;

function All({ found }: { found: readonly Notification[] }) {
  // New notifications stay marked as new while the list is open.
  const fresh = useRef(new Set<string>());
  for (const one of found) if (one.is_unread) fresh.current.add(keyOf(one));
  // A thread is at its last reply, even one of mine, and shows the time of the reply.
  const newest = found.some(({ is_unread }) => is_unread) ? lastOf(found.map(({ at }) => at.$date)) : '';
  useEffect(() => {
    if (newest === '') return;
    const read = () => {
      if (document.visibilityState === 'visible') readUpTo(newest).catch(() => {});
    };
    read();
    document.addEventListener('visibilitychange', read);
    return () => document.removeEventListener('visibilitychange', read);
  }, [newest]);
  return (
    <ul class="results">
      {found.map((one) => (
        <li key={keyOf(one)}>
          <Item notification={one} isNew={fresh.current.has(keyOf(one))} />
        </li>
      ))}
    </ul>
  );
}

/** The last of some times, all in the same form. */
const lastOf = (times: string[]): string => times.toSorted().at(-1) ?? '';

/** One notification, with a link to its message or room. */
function Item({ notification, isNew }: { notification: Notification; isNew: boolean }) {
  const { room, user, at, message } = notification;
  return (
    <a href={message ? pathOf(message) : roomPath(room.$oid)} class={isNew ? 'unread' : ''}>
      <Avatar person={notification} id={user.$oid} />
      <span class="body">
        <span class="meta">
          <PersonName person={notification} class="author" />
          <span class="note">
            {isNew && <span class="visually-hidden">{laterStrings.notifications.isNew}: </span>}
            {whatHappened(notification)}
          </span>
          <span class="muted">
            <bdi>{safeName(roomOf(room.$oid)?.name ?? '')}</bdi>
            {' · '}
            <time dir="auto" dateTime={at.$date}>
              {capitalised(momentInWords(new Date(at.$date)))}
            </time>
          </span>
        </span>
        {message && (
          <span class="excerpt" dir="auto">
            {firstCharacters(summaryOf(message), 300)}
          </span>
        )}
      </span>
    </a>
  );
}

function whatHappened({ kind, emoji = '' }: Notification): string {
  const { mention, reply, reaction, added } = laterStrings.notifications;
  return { mention, reply, reaction: reaction(emoji), added }[kind];
}
