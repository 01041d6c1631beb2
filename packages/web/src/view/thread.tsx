import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import type { Message } from '../api.ts';
import { idOf } from '../ids.ts';
import { me } from '../session.ts';
import { pendingIn } from '../store/pending.ts';
import { closeThread, openThread, readReplies, readUpTo, setFollowed, thread } from '../store/thread.ts';
import { strings } from '../strings.ts';
import { Composer } from './composer.tsx';
import { attempt, IconButton, Loading } from './controls.tsx';
import { MessageRow } from './message.tsx';
import { belongTogether, point, readAfter } from './message-list.tsx';
import { PendingRow } from './pending.tsx';
import { Side } from './side.tsx';

/** A thread: the message that it began with, and the replies, of which an address may lead to one. */
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
  const last = replies.at(-1)?.seq;
  useLayoutEffect(() => {
    if (box.current) box.current.scrollTop = box.current.scrollHeight;
  }, [last, pending.length]);
  const isThere = reply !== undefined && replies.some(({ seq }) => seq === reply);
  useLayoutEffect(() => {
    const row = isThere ? box.current?.querySelector(`li[data-seq="${reply}"]`) : undefined;
    row?.scrollIntoView({ block: 'center' });
    if (row) point(row);
  }, [isThere, reply]);
  useReading(last, value?.isFollowed);
  const isFollowed = value?.isFollowed ?? false;
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
            {value.hasMore && (
              <button type="button" class="link" onClick={() => void readReplies(room, id)}>
                {strings.app.more}
              </button>
            )}
            <ol aria-label={strings.thread.title}>
              <Replies replies={replies} line={value.isFollowed ? value.lastRead : Number.POSITIVE_INFINITY} />
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
      <Composer room={room} thread={id} name="" />
    </Side>
  );
}

/** The replies, with a line before the first that is new. */
function Replies({ replies, line }: { replies: readonly Message[]; line: number }) {
  const firstNew = replies.find(({ seq, user }) => seq > line && user.$oid !== idOf(me()));
  return replies.map((message, at) => {
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

/** Marks the thread as read when its last reply was there for a moment before someone who looks at the page. */
function useReading(last: number | undefined, isFollowed: boolean | undefined): void {
  useEffect(() => {
    if (last === undefined || !isFollowed) return undefined;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const isSeen = () => document.visibilityState === 'visible' && document.hasFocus();
    const look = () => {
      clearTimeout(timer);
      // The next reply tells the service, too.
      if (isSeen()) timer = setTimeout(() => void (isSeen() && readUpTo(last).catch(() => {})), readAfter);
    };
    look();
    addEventListener('focus', look);
    document.addEventListener('visibilitychange', look);
    return () => {
      clearTimeout(timer);
      removeEventListener('focus', look);
      document.removeEventListener('visibilitychange', look);
    };
  }, [last, isFollowed]);
}
