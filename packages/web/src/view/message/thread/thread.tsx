import { useSignal } from '@preact/signals';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { me } from '../../../account/session.ts';
import { strings } from '../../../i18n/strings.ts';
import type { Message } from '../../../service/api.ts';
import { idOf } from '../../../service/ids.ts';
import { closeThread, openThread, readReplies, readUpTo, setFollowed, thread } from '../../../store/threads/thread.ts';
import { pendingIn } from '../../../store/unsent/pending.ts';
import { attempt, IconButton, Loading } from '../../shared/controls.tsx';
import { useRoving } from '../../shared/roving.tsx';
import { Side } from '../../shared/side.tsx';
import { Composer } from '../composer/composer.tsx';
import { Typing } from '../composer/typing.tsx';
import { MessageRow } from '../message.tsx';
import { belongTogether, isLookedAt, messageRows, point, readAfter, watchLooking } from '../message-list.tsx';
import { PendingRow } from '../pending.tsx';
import { Scroller } from '../scroller.ts';

/** A thread: its root message and the replies. `reply` is the reply that the address names. */
export function ThreadPanel({ room, id, reply }: { room: string; id: string; reply: number | undefined }) {
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    void openThread(room, id, reply);
    return closeThread;
  }, [room, id, reply]);
  const { value } = thread;
  const replies = value?.replies ?? [];
  const pending = pendingIn(room, id, replies, idOf(me()));
  const waiting = pending.map((entry) => <PendingRow key={entry.key} entry={entry} />);
  // A reply that streams is unread until it is complete, because its end notifies.
  const streaming = replies.findIndex((one) => one.is_streaming);
  const last = (streaming < 0 ? replies : replies.slice(0, streaming)).at(-1)?.seq;
  const isReady = value?.root !== undefined && !value.failure && !value.isLoading;
  const list = useRef<HTMLOListElement>(null);
  const scroller = useRef<Scroller>(undefined);
  const isAtEnd = useSignal(false);
  useLayoutEffect(() => {
    if (!isReady || !box.current || !list.current) return undefined;
    const made = new Scroller(box.current, list.current, {
      onNear: () => {},
      onMove: (isAtBottom) => {
        isAtEnd.value = isAtBottom;
      },
    });
    scroller.current = made;
    const line = list.current.querySelector('.new-line');
    if (line) made.toRow(line, 0.2);
    else made.toEnd();
    return () => made.stop();
  }, [isReady]);
  const isThere = reply !== undefined && replies.some(({ seq }) => seq === reply);
  useLayoutEffect(() => {
    const row = isThere ? list.current?.querySelector(`li[data-seq="${reply}"]`) : undefined;
    if (!row) return;
    scroller.current?.toRow(row, 0.35);
    point(row);
  }, [isThere, isReady, reply]);
  useLayoutEffect(() => {
    if (pending.length > 0) scroller.current?.toEnd();
  }, [pending.length]);
  // After every drawing, before it is seen.
  useLayoutEffect(() => scroller.current?.keep());
  useRoving(box, messageRows, [isReady]);
  useReading(isAtEnd.value ? last : undefined, value?.isFollowed);
  const isFollowed = value?.isFollowed ?? false;
  // The line is before the first new reply, not before the first loaded one.
  const hasLine = value && isFollowed && !(value.hasEarlier && (replies[0]?.seq ?? 0) > value.lastRead);
  return (
    <Side
      room={room}
      title={strings.thread.title}
      action={
        value?.root && (
          <IconButton
            icon={isFollowed ? 'bell' : 'mute'}
            label={strings.thread.follow}
            isPressed={isFollowed}
            onPress={() => void attempt(() => setFollowed(!isFollowed))}
          />
        )
      }
    >
      <div class="side-content thread-content" ref={box}>
        {value?.root && !value.failure ? (
          <>
            <ol class="root">
              <MessageRow message={value.root} isInThread />
            </ol>
            {value.hasEarlier && replies.length > 0 && (
              <button type="button" class="link" onClick={() => void attempt(() => readReplies(room, id))}>
                {strings.app.more}
              </button>
            )}
            <ol aria-label={strings.thread.title} ref={list}>
              <Replies replies={replies} line={hasLine ? value.lastRead : Number.POSITIVE_INFINITY} />
              {waiting}
            </ol>
            {replies.length + pending.length === 0 && !value.isLoading && <p class="muted center">{strings.thread.none}</p>}
          </>
        ) : (
          <>
            <Loading failure={value?.failure} onRetry={() => void openThread(room, id)} />
            {waiting.length > 0 && <ol>{waiting}</ol>}
          </>
        )}
      </div>
      <Typing room={room} thread={id} />
      <Composer room={room} thread={id} name="" />
    </Side>
  );
}

/** The replies, with a line before the first that is new. */
export function Replies({ replies, line }: { replies: readonly Message[]; line: number }) {
  const firstNew = replies.find(({ seq, user, deleted_at }) => seq > line && user.$oid !== idOf(me()) && deleted_at === null);
  return replies.flatMap((message, at) => {
    const before = replies[at - 1];
    const isFirstNew = message === firstNew;
    return [
      isFirstNew && (
        <li key="new" class="new-line">
          <span>{strings.room.newMessages}</span>
        </li>
      ),
      <MessageRow
        key={message.seq}
        message={message}
        isInThread
        isGrouped={!isFirstNew && before !== undefined && belongTogether(before, message)}
      />,
    ];
  });
}

/** Marks the thread as read when its last reply was in view for a moment on a visible page. */
function useReading(last: number | undefined, isFollowed: boolean | undefined): void {
  useEffect(() => {
    if (last === undefined || !isFollowed) return undefined;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const look = () => {
      clearTimeout(timer);
      // The next look or reply retries it.
      if (isLookedAt()) timer = setTimeout(() => void (isLookedAt() && readUpTo(last).catch(() => {})), readAfter);
    };
    look();
    const end = watchLooking(look);
    return () => {
      clearTimeout(timer);
      end();
    };
  }, [last, isFollowed]);
}
