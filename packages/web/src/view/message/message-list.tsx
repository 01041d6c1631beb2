import { firstCharacters } from 'chat-service-rules/shortened';
import type { ComponentChildren } from 'preact';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { me } from '../../account/session.ts';
import { announce } from '../../device/announcer.tsx';
import { reader } from '../../device/routes.ts';
import { dayLabelOf, isSameDay, sentAt } from '../../i18n/dates.ts';
import { strings } from '../../i18n/strings.ts';
import type { Message } from '../../service/api.ts';
import { nameOf } from '../../store/people/names.ts';
import { moveMarker } from '../../store/rooms/rooms.ts';
import { intentOf } from '../../store/scroll-intent.ts';
import type { Timeline } from '../../store/timeline.ts';
import { pendingIn } from '../../store/unsent/pending.ts';
import { sync } from '../../sync/sync.ts';
import { summaryOf } from '../../text/plain.ts';
import { IconButton, Loading } from '../shared/controls.tsx';
import { Icon } from '../shared/icon.tsx';
import { later } from '../shared/later.tsx';
import { useRoving } from '../shared/roving.tsx';
import { MessageRow } from './message.tsx';
import { lookForLine, NewAbove } from './new-above.tsx';
import { PendingRow } from './pending.tsx';
import { Scroller } from './scroller.ts';

const Welcome = later(
  async () => (await import('./welcome.tsx')).Welcome,
  () => null,
);

/** How long the newest message has to be in view until it counts as read, in milliseconds. */
export const readAfter = 1_000;

/** Messages of one author within this time are grouped, in milliseconds. */
const together = 5 * 60_000;

/** The messages of a list are one tab stop: the newest at first. */
export const messageRows = { rows: 'li[data-seq]', first: (rows: readonly HTMLElement[]) => rows.at(-1) };

/** A room's messages: a window of them, which moves as one scrolls. */
export function MessageList({ timeline, name }: { timeline: Timeline; name: string }) {
  const box = useRef<HTMLDivElement>(null);
  const list = useRef<HTMLOListElement>(null);
  const scroller = useRef<Scroller>(null);
  const { messages, isAtStart, isAtEnd } = timeline.window.value;
  const intent = intentOf(timeline);
  const target = intent.target.value;
  const isReady = timeline.state.value === 'ready';
  // Pending messages are shown also while the room is still loading.
  const pending = isAtEnd || !isReady ? pendingIn(timeline.room, null, messages, me()._id.$oid) : [];
  useReading(timeline);
  useRoving(list, messageRows, [timeline, isReady]);

  useLayoutEffect(() => {
    const shown = box.current;
    if (!shown || !list.current) return undefined;
    const made = new Scroller(shown, list.current, {
      onNear: (edge) => void (edge === 'start' ? timeline.readOlder() : timeline.readNewer()),
      onMove: (isAtBottom) => {
        follow(timeline, isAtBottom);
        lookForLine(timeline, shown);
      },
    });
    (scroller as { current: Scroller | null }).current = made;
    const findPlace = () => (intent.isFollowing ? 'end' : made.place);
    reader.findPlace = findPlace;
    return () => {
      if (reader.findPlace === findPlace) reader.findPlace = undefined;
      made.stop();
    };
  }, [timeline, isReady]);

  // After every drawing, before it is seen.
  useLayoutEffect(() => {
    const made = scroller.current;
    if (!made || !isReady) return;
    if (!target) {
      made.keep();
      return;
    }
    intent.target.value = undefined;
    const row = 'seq' in target ? rowAt(list.current, target.seq) : list.current?.querySelector('.new-line');
    if (target.kind === 'end' || !row) made.toEnd();
    else if (target.kind === 'place') made.toOffset(row, target.offset);
    else made.toRow(row, target.kind === 'message' ? 0.35 : 0.2);
    if (target.kind === 'message' && row) point(row);
  });

  const waiting = pending.map((entry) => <PendingRow key={entry.key} entry={entry} />);
  const { value: state } = timeline.state;
  if (state !== 'ready') {
    const retry = () => void intent.open(intent.line.peek(), 0, undefined).then(() => sync.run());
    return (
      <div class="messages">
        <Loading failure={state === 'loading' ? undefined : state} onRetry={retry} />
        {waiting.length > 0 && <ol>{waiting}</ol>}
      </div>
    );
  }
  return (
    <div class="messages-frame">
      <NewAbove timeline={timeline} />
      <section class="messages" ref={box} aria-label={strings.room.list(name)} id="messages">
        {isAtStart ? (
          messages.length + pending.length === 0 ? (
            <Welcome room={timeline.room} />
          ) : (
            <p class="beginning">{strings.room.start}</p>
          )
        ) : (
          <Loading />
        )}
        <ol ref={list}>
          <Rows messages={messages} timeline={timeline} />
          {waiting}
        </ol>
        {!isAtEnd && <Loading />}
      </section>
      <ToEnd timeline={timeline} />
    </div>
  );
}

/** The rows of a window. It keeps no drawn row, because that would hold all rows of its time. */
function Rows({ messages, timeline }: { messages: readonly Message[]; timeline: Timeline }) {
  const fresh = useRef<ReadonlySet<number>>(new Set());
  const line = intentOf(timeline).line.value;
  const rows: ComponentChildren[] = [];
  const stillFresh = new Set<number>();
  let before: Message | undefined;
  // Animates messages that arrive while somebody reads at the end, not those that were there.
  const last = useRef<number>(undefined);
  const known = last.current;
  const { isAtStart, isAtEnd } = timeline.window.value;
  const isLive = known !== undefined && isAtEnd && intentOf(timeline).isFollowing;
  // The line is before the first new message, not before the first one of a window that starts
  // later.
  let hasLine = !isAtStart && (messages[0]?.seq ?? 0) > line;
  for (const message of messages) {
    const isNewDay = !before || !isSameDay(sentAt(before), sentAt(message));
    if (isNewDay)
      rows.push(
        <li key={`day-${message.seq}`} class="day">
          <span>{dayLabelOf(sentAt(message))}</span>
        </li>,
      );
    const isFirstNew: boolean = !hasLine && message.seq > line && message.user.$oid !== me()._id.$oid;
    hasLine ||= isFirstNew;
    if (isFirstNew)
      rows.push(
        <li key="new" class="new-line">
          <span>{strings.room.newMessages}</span>
        </li>,
      );
    const isGrouped = !isNewDay && !isFirstNew && before !== undefined && belongTogether(before, message);
    // The row stays so when it is drawn again.
    const isNew = fresh.current.has(message.seq) || (isLive && message.seq > known && message.user.$oid !== me()._id.$oid);
    if (isNew) stillFresh.add(message.seq);
    rows.push(<MessageRow key={message.seq} message={message} isGrouped={isGrouped} isNew={isNew} />);
    before = message;
  }
  fresh.current = stillFresh;
  // Without the end, messages that come next were there before: the reader goes to them.
  last.current = isAtEnd ? messages.at(-1)?.seq : undefined;
  return rows;
}

/** True if a message belongs to the group of the one before it. */
export const belongTogether = (before: Message, message: Message): boolean =>
  before.user.$oid === message.user.$oid &&
  before.via === message.via &&
  before.display?.name === message.display?.name &&
  before.thread?.$oid === message.thread?.$oid &&
  before.deleted_at === null &&
  sentAt(message).getTime() - sentAt(before).getTime() < together;

function ToEnd({ timeline }: { timeline: Timeline }) {
  const count = timeline.missed.value;
  const intent = intentOf(timeline);
  const isAway = intent.isAway.value;
  if (!isAway && timeline.window.value.isAtEnd) return null;
  const go = () => void intent.goToEnd();
  return count > 0 ? (
    <button type="button" class="to-end" onClick={go}>
      {strings.room.came(count)} <Icon name="down" />
    </button>
  ) : (
    <IconButton class="to-end" icon="down" label={strings.room.toEnd} onPress={go} />
  );
}

function follow(timeline: Timeline, isAtBottom: boolean): void {
  const isFollowing = isAtBottom && timeline.window.peek().isAtEnd;
  intentOf(timeline).isFollowing = isFollowing;
  intentOf(timeline).isAway.value = !isFollowing;
  if (isFollowing) timeline.missed.value = 0;
}

/** True if the page is in view. */
export const isLookedAt = () => document.visibilityState === 'visible' && document.hasFocus();

/** Has `look` called whenever that may have changed; returns what ends it. */
export function watchLooking(look: () => void): () => void {
  addEventListener('focus', look);
  addEventListener('blur', look);
  document.addEventListener('visibilitychange', look);
  return () => {
    removeEventListener('focus', look);
    removeEventListener('blur', look);
    document.removeEventListener('visibilitychange', look);
  };
}

/** Marks the room as read when its newest message was in view for a moment on a visible page. */
function useReading(timeline: Timeline): void {
  useEffect(() => {
    const intent = intentOf(timeline);
    let timer: ReturnType<typeof setTimeout> | undefined;
    const isSeen = () => intent.isFollowing && !intent.isKeptUnread.peek() && timeline.state.peek() === 'ready' && isLookedAt();
    const look = () => {
      intent.isWatched = isSeen();
      clearTimeout(timer);
      if (isSeen()) timer = setTimeout(read, readAfter);
    };
    const read = () => {
      const { at, epoch } = timeline.place;
      if (isSeen() && at !== undefined && moveMarker(timeline.room, at, epoch)) void sync.run();
    };
    const tell = newsTeller(timeline);
    const unsubscribe = [
      timeline.window.subscribe(tell),
      ...[timeline.window, intent.isAway, intent.isKeptUnread].map((changed) => changed.subscribe(look)),
      watchLooking(look),
    ];
    return () => {
      clearTimeout(timer);
      intent.isWatched = false;
      for (const end of unsubscribe) end();
    };
  }, [timeline]);
}

/**
 * Announces new messages by others in the open room to screen readers, but no history. A message
 * that streams is announced once, when its text is complete.
 */
function newsTeller(timeline: Timeline): () => void {
  let last: number | undefined;
  let streaming = new Set<number>();
  return () => {
    const { messages, isAtEnd } = timeline.window.peek();
    const known = last;
    last = isAtEnd ? (messages.at(-1)?.seq ?? 0) : undefined;
    const before = streaming;
    streaming = new Set(messages.filter((message) => message.is_streaming).map(({ seq }) => seq));
    if (known === undefined || last === undefined) return;
    const isNew = ({ seq }: Message) => (seq > known || before.has(seq)) && !streaming.has(seq);
    const news = messages.filter((message) => isNew(message) && message.user.$oid !== me()._id.$oid);
    const [first] = news;
    if (!first) return;
    const text =
      news.length === 1
        ? strings.announce.message(nameOf(first), firstCharacters(summaryOf(first), 200))
        : strings.room.came(news.length);
    announce(text, { isPatient: true });
  };
}

const rowAt = (list: HTMLElement | null, seq: number): Element | undefined =>
  [...(list?.querySelectorAll<HTMLElement>('li[data-seq]') ?? [])].find(({ dataset }) => Number(dataset.seq) >= seq);

/** Highlights the message of an address. */
export function point(row: Element): void {
  for (const before of row.parentElement?.querySelectorAll('.pointed') ?? []) before.classList.remove('pointed');
  requestAnimationFrame(() => row.classList.add('pointed'));
}
