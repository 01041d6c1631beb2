import { me } from '../../account/session.ts';
import { roomPath } from '../../device/routes.ts';
import { shortOf } from '../../i18n/dates.ts';
import { laterStrings } from '../../i18n/strings-later.ts';
import { ask, chat, type Member } from '../../service/api.ts';
import { idOf } from '../../service/ids.ts';
import { currentStatus, learnMembers, type Person, personOf, statusOf } from '../../store/people/names.ts';
import { roomOf } from '../../store/rooms/rooms.ts';
import { safeName } from '../../text/names.ts';
import { attempt, PersonName } from '../shared/controls.tsx';
import { openDialog } from '../shared/dialog.tsx';
import { Icon } from '../shared/icon.tsx';
import { closePopover } from '../shared/popover.tsx';
import { useLoaded } from '../shared/use-list.ts';
import { Avatar, RoomMark } from './avatar.tsx';
import { openConversation } from './open-conversation.ts';
import { PresenceDot, PresenceText } from './presence.tsx';
import { StatusForm } from './status-form.tsx';
import './card.css';

/** How many rooms in common are shown. */
const most = 6;

/** The card of a person: names, actions, and shared rooms. */
export function Card({ user, person }: { user: string; person: Person }) {
  const isMe = user === idOf(me());
  const { value: shared } = useLoaded(async () => (isMe ? [] : findShared(user)), [user]);
  const shown = isMe ? me() : (personOf(user) ?? person);
  const status = isMe ? currentStatus(me().status) : statusOf(user);
  const talk = () => {
    closePopover();
    void attempt(() => openConversation([user]));
  };
  const common = (shared ?? []).flatMap(({ room }) => roomOf(room.$oid) ?? []).filter(({ isDirect }) => !isDirect);
  return (
    <>
      <div class="head">
        <span class="face">
          <Avatar person={shown} id={user} />
          {!isMe && <PresenceDot user={user} />}
        </span>
        <p class="who">
          <span>
            <PersonName person={shown} class="name" />
          </span>
          <span class="muted">
            <bdi>@{shown.username}</bdi>
            {!isMe && <PresenceText user={user} class="muted" />}
          </span>
        </p>
      </div>
      {status && (
        <p class="said">
          {status.emoji} <bdi>{status.text}</bdi>
          {status.until && <span class="muted"> {laterStrings.status.endsAt(shortOf(new Date(status.until.$date)))}</span>}
        </p>
      )}
      {isMe && (
        <button type="button" class="primary" onClick={openStatus}>
          {status ? laterStrings.status.change : laterStrings.status.set}
        </button>
      )}
      {isMe ? (
        <a class="button" href="/settings/profile" onClick={() => closePopover()}>
          {laterStrings.people.settings}
        </a>
      ) : (
        <button type="button" class="primary" onClick={talk}>
          <Icon name="reply" /> {laterStrings.people.message}
        </button>
      )}
      {common.length > 0 && (
        <section aria-label={laterStrings.people.common}>
          <p class="muted">{laterStrings.people.common}</p>
          <ul>
            {common.slice(0, most).map(({ id, name, avatar }) => (
              <li key={id}>
                <a href={roomPath(id)} onClick={() => closePopover({ isFocusKept: true })}>
                  <RoomMark id={id} avatar={avatar} /> <bdi>{safeName(name)}</bdi>
                </a>
              </li>
            ))}
          </ul>
          {common.length > most && <p class="muted">{laterStrings.people.more(common.length - most)}</p>}
        </section>
      )}
    </>
  );
}

function openStatus(): void {
  closePopover();
  openDialog(laterStrings.status.title, (close) => <StatusForm close={close} />);
}

/** A person's memberships in my rooms, which also have their current names. */
async function findShared(user: string): Promise<Member[]> {
  const members = (await ask(chat.GET('/api/members', { params: { query: { user, limit: 200 } } }))) as Member[];
  learnMembers(members);
  return members;
}
