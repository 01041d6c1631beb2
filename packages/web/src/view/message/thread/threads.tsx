import { useComputed } from '@preact/signals';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { me } from '../../../account/session.ts';
import { roomPath } from '../../../device/routes.ts';
import { strings } from '../../../i18n/strings.ts';
import { laterStrings } from '../../../i18n/strings-later.ts';
import { askFully, chat, type Thread } from '../../../service/api.ts';
import { idOf } from '../../../service/ids.ts';
import { nextOf } from '../../../store/people/members.ts';
import type { Page } from '../../../store/read-page.ts';
import { allThreads, roomOf, rooms } from '../../../store/rooms/rooms.ts';
import {
  cardIds,
  cardOf,
  closeThreadCards,
  hasMoreCards,
  loadCard,
  loadEarlier,
  markCardRead,
  markCardsRead,
  moreThreadCards,
  openThreadCards,
  refreshThreadCards,
} from '../../../store/threads/thread-cards.ts';
import { pendingIn } from '../../../store/unsent/pending.ts';
import { safeName } from '../../../text/names.ts';
import { Result } from '../../lists/results.tsx';
import { RoomMark } from '../../people/avatar.tsx';
import { attempt, Loading } from '../../shared/controls.tsx';
import { Pages } from '../../shared/pages.tsx';
import { RovingList, useRoving } from '../../shared/roving.tsx';
import { Side } from '../../shared/side.tsx';
import { markThreadsRead } from '../../sidebar/room-actions.ts';
import { Composer } from '../composer/composer.tsx';
import { MessageRow } from '../message.tsx';
import { isLookedAt, messageRows, readAfter, watchLooking } from '../message-list.tsx';
import { PendingRow } from '../pending.tsx';
import { Replies } from './thread.tsx';
import './threads.css';

/** The delay in milliseconds between a change in a room and the check for new replies. */
const newsAfter = 1_000;

/**
 * All followed threads: first those with unread replies, each with a field to reply, then the
 * others.
 */
export function Threads({ room }: { room?: string | undefined }) {
  const [failure, setFailure] = useState<unknown>();
  const open = () => {
    setFailure(undefined);
    openThreadCards().catch(setFailure);
  };
  useLayoutEffect(() => {
    open();
    return closeThreadCards;
  }, []);
  // There is a new message, or another device has read a thread.
  const moved = useComputed(() => `${allThreads.value} ${(rooms.value ?? []).reduce((sum, { seq }) => sum + seq, 0)}`).value;
  useEffect(() => {
    const timer = setTimeout(() => void refreshThreadCards().catch(() => {}), newsAfter);
    return () => clearTimeout(timer);
  }, [moved]);
  const ids = cardIds.value;
  const markAll = () => attempt(markThreadsRead).then((isDone) => isDone && markCardsRead());
  return (
    <Side
      room={room}
      title={strings.lists.threads.title}
      action={
        allThreads.value > 0 && (
          <button type="button" class="quiet" onClick={() => void markAll()}>
            {strings.rooms.markAllRead}
          </button>
        )
      }
    >
      <div class="threads">
        {!ids && <Loading failure={failure} onRetry={open} />}
        {ids?.map((id) => (
          <Card key={id} id={id} />
        ))}
        {ids && hasMoreCards.value && (
          <button type="button" class="more" onClick={() => void attempt(moreThreadCards)}>
            {strings.app.more}
          </button>
        )}
        {ids && <Earlier shown={ids} />}
      </div>
    </Side>
  );
}

/** The threads that are followed and have nothing new. */
const Earlier = ({ shown }: { shown: readonly string[] }) => (
  <section class="earlier">
    <div class="side-content">
      <Pages read={readFollowed} none={laterStrings.lists.noThreads} kept={{ name: 'threads', id: idOfThread }}>
        {(threads) => (
          <EarlierList
            threads={threads.filter((thread) => !shown.includes(idOfThread(thread)))}
            isUpToDate={shown.length === 0}
          />
        )}
      </Pages>
    </div>
  </section>
);

const EarlierList = ({ threads, isUpToDate }: { threads: readonly Thread[]; isUpToDate: boolean }) =>
  threads.length === 0 ? null : (
    <>
      {isUpToDate && <p class="muted center">{laterStrings.lists.noNewThreads}</p>}
      <h2>{laterStrings.lists.earlierThreads}</h2>
      <RovingList class="results">
        {threads.map(({ message }) => (
          <li key={idOf(message)}>
            <Result
              message={message}
              href={roomPath(message.room.$oid, { thread: idOf(message) })}
              note={strings.message.replies(message.reply_count)}
            />
          </li>
        ))}
      </RovingList>
    </>
  );

async function readFollowed(after?: string): Promise<Page<Thread>> {
  const query = { limit: 30, ...(after !== undefined && { after }) };
  const { data, headers } = await askFully(chat.GET('/api/threads', { params: { query } }));
  return { list: data, next: nextOf(headers) };
}

const idOfThread = ({ message }: Thread) => idOf(message);

/** A thread: its room, its root message, its last replies, and a field. */
function Card({ id }: { id: string }) {
  const box = useRef<HTMLElement>(null);
  const end = useRef<HTMLDivElement>(null);
  const [failure, setFailure] = useState<unknown>();
  const card = cardOf(id);
  const room = card?.root.room.$oid ?? '';
  const load = () => {
    setFailure(undefined);
    loadCard(id).catch(setFailure);
  };
  useRoving(box, messageRows);
  useLayoutEffect(() => {
    if (!box.current) return undefined;
    const observer = new IntersectionObserver((seen) => seen.at(-1)?.isIntersecting && load(), { rootMargin: '50%' });
    observer.observe(box.current);
    return () => observer.disconnect();
  }, [id]);
  useReading(end, id, card?.unread ? card.replies?.at(-1)?.seq : undefined);
  if (!card) return null;
  const mine = roomOf(room);
  const replies = card.replies ?? [];
  const pending = pendingIn(room, id, replies, idOf(me()));
  const name = safeName(mine?.name ?? '');
  return (
    <article
      class={card.unread > 0 ? 'thread-card unread' : 'thread-card'}
      ref={box}
      aria-label={laterStrings.lists.threadIn(name)}
    >
      <header>
        <a href={roomPath(room, { thread: id })}>
          {mine && !mine.isDirect && <RoomMark id={room} avatar={mine.avatar} isOpen={mine.isOpen} />}
          <bdi>{name}</bdi>
        </a>
        {card.unread > 0 && <span class="muted">{laterStrings.lists.unreadReplies(card.unread)}</span>}
      </header>
      <ol>
        <MessageRow message={card.root} isInThread />
      </ol>
      {card.hasEarlier && (
        <button type="button" class="link earlier-replies" onClick={() => void attempt(() => loadEarlier(id))}>
          {laterStrings.lists.earlierReplies}
        </button>
      )}
      {card.replies ? (
        <ol>
          <Replies replies={replies} line={card.line} />
          {pending.map((entry) => (
            <PendingRow key={entry.key} entry={entry} />
          ))}
        </ol>
      ) : (
        <Loading failure={failure} onRetry={load} />
      )}
      <div ref={end} />
      <Composer room={room} thread={id} name="" isQuiet />
    </article>
  );
}

/**
 * Marks a thread as read after its end was in view for a moment on a visible page. Retries if the
 * service could not be reached.
 */
function useReading(end: { current: HTMLElement | null }, id: string, last: number | undefined): void {
  useEffect(() => {
    if (last === undefined || !end.current) return undefined;
    let timer: ReturnType<typeof setTimeout> | undefined;
    let isSeen = false;
    const look = () => {
      clearTimeout(timer);
      if (isSeen && isLookedAt()) timer = setTimeout(() => void (isLookedAt() && markCardRead(id).catch(() => {})), readAfter);
    };
    const observer = new IntersectionObserver((seen) => {
      isSeen = seen.at(-1)?.isIntersecting ?? false;
      look();
    });
    observer.observe(end.current);
    const stop = watchLooking(look);
    return () => {
      clearTimeout(timer);
      observer.disconnect();
      stop();
    };
  }, [id, last]);
}
