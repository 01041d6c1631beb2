import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { idOf } from '../ids.ts';
import { me } from '../session.ts';
import { pendingIn } from '../store/pending.ts';
import { closeThread, openThread, readReplies, thread } from '../store/thread.ts';
import { strings } from '../strings.ts';
import { Composer } from './composer.tsx';
import { Loading } from './controls.tsx';
import { MessageRow } from './message.tsx';
import { belongTogether } from './message-list.tsx';
import { PendingRow } from './pending.tsx';
import { Side } from './side.tsx';

/** A thread: the message that it began with, and the replies. */
export function ThreadPanel({ room, id }: { room: string; id: string }) {
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    void openThread(room, id);
    return closeThread;
  }, [room, id]);
  const { value } = thread;
  const replies = value?.replies ?? [];
  const pending = pendingIn(room, id, replies, idOf(me()));
  const waiting = pending.map((entry) => <PendingRow key={entry.key} entry={entry} />);
  const last = replies.at(-1)?.seq;
  useLayoutEffect(() => {
    if (box.current) box.current.scrollTop = box.current.scrollHeight;
  }, [last, pending.length]);
  return (
    <Side room={room} title={strings.thread.title}>
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
              {replies.map((reply, at) => {
                const before = replies[at - 1];
                return (
                  <MessageRow
                    key={reply.seq}
                    message={reply}
                    isInThread
                    isGrouped={before !== undefined && belongTogether(before, reply)}
                  />
                );
              })}
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
