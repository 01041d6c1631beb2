import { shortened } from 'chat-service-rules/shortened';
import { useEffect, useState } from 'preact/hooks';
import { me } from '../../account/session.ts';
import { roomPath } from '../../device/routes.ts';
import { nearOf } from '../../i18n/dates.ts';
import { listOf } from '../../i18n/locale.ts';
import { strings } from '../../i18n/strings.ts';
import type { Message } from '../../service/api.ts';
import { idOf } from '../../service/ids.ts';
import { authorOf, findPersons, nameOf, personOf } from '../../store/people/names.ts';
import { knownTimeline } from '../../store/timelines.ts';
import { toggleReaction } from '../../sync/actions.ts';
import { summaryOf } from '../../text/plain.ts';
import { Avatar } from '../people/avatar.tsx';
import { leaveButton } from '../shared/focus.ts';
import { Icon } from '../shared/icon.tsx';
import { react } from './actions.tsx';

/** Says that a message is pinned, on every row: everyone in the room sees it among the pins. */
export const Pinned = () => (
  <span class="pinned">
    <Icon name="pin" /> {strings.message.pinned}
  </span>
);

/**
 * The thread of a message: its repliers, their number, and the time of the last reply. Opens the
 * thread.
 */
export function Replies({ message }: { message: Message }) {
  const users = message.repliers.map(({ $oid }) => $oid);
  const key = users.join();
  useEffect(() => void findPersons(users), [key]);
  return (
    <a class="replies" href={roomPath(message.room.$oid, { thread: idOf(message) })}>
      <span class="faces">
        {users.map((id) => (
          <Avatar key={id} person={personOf(id)} id={id} isSmall />
        ))}
      </span>
      {strings.message.replies(message.reply_count)}
      {message.replied_at && (
        <time class="muted" dateTime={message.replied_at.$date}>
          {strings.message.lastReply(nearOf(new Date(message.replied_at.$date)))}
        </time>
      )}
    </a>
  );
}

/** The place of a message's buttons until their code is there. */
export const QuestionBox = () => <div style={{ blockSize: '3rem' }} />;

export function InThread({ message }: { message: Message }) {
  const id = message.thread?.$oid ?? '';
  const root = knownTimeline(message.room.$oid)?.window.value.messages.find((other) => idOf(other) === id);
  const said =
    root && !root.deleted_at ? `${nameOf(authorOf(root))}: ${shortened(summaryOf(root), 80)}` : strings.message.inThreadOther;
  return (
    <a class="in-thread" href={roomPath(message.room.$oid, { thread: id })}>
      <Icon name="reply" /> {strings.message.inThread} <bdi>{said}</bdi>
    </a>
  );
}

export function Reactions({ message }: { message: Message }) {
  const mine = idOf(me());
  const [isAsked, setAsked] = useState(false);
  const ask = () => {
    if (isAsked) return;
    setAsked(true);
    void findPersons(message.reactions.flatMap(({ users }) => users.map(({ $oid }) => $oid)));
  };
  return (
    <ul class="reactions" onPointerEnter={ask} onFocusIn={ask}>
      {message.reactions.map(({ emoji, users }) => {
        const isMine = users.some(({ $oid }) => $oid === mine);
        const others = users.map(({ $oid }) => $oid).filter((id) => id !== mine);
        const known = others.map(personOf).filter((person) => person !== undefined);
        const rest = others.length - known.length;
        const names = [
          ...(isMine ? [strings.message.you] : []),
          ...known.map(nameOf),
          ...(rest > 0 ? [strings.message.others(rest)] : []),
        ];
        const named = listOf(names);
        const label = strings.message.reacted(emoji, users.length, named, isMine);
        return (
          <li key={emoji}>
            <button
              type="button"
              class="reaction"
              aria-pressed={isMine}
              aria-label={label}
              title={named}
              onClick={({ currentTarget }) => {
                void toggleReaction(message, emoji);
                leaveButton(currentTarget);
              }}
            >
              <span aria-hidden="true">{emoji}</span> {users.length}
            </button>
          </li>
        );
      })}
      <li>
        <button
          type="button"
          class="reaction add"
          aria-label={strings.message.react}
          title={strings.message.react}
          onClick={({ currentTarget }) => void react(message, currentTarget)}
        >
          <Icon name="react" />
        </button>
      </li>
    </ul>
  );
}
