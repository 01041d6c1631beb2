import { ask, chat, type Member } from '../api.ts';
import { idOf } from '../ids.ts';
import { roomPath } from '../routes.ts';
import { me } from '../session.ts';
import { learnNamed, nameOf, type Person, personOf } from '../store/names.ts';
import { roomOf } from '../store/rooms.ts';
import { strings } from '../strings.ts';
import { safeName } from '../text/names.ts';
import { Avatar, attempt } from './controls.tsx';
import { Icon } from './icon.tsx';
import { openConversation } from './open-conversation.ts';
import { closePopover } from './popover.tsx';
import { useLoaded } from './use-list.ts';
import './card.css';

/** How many rooms in common are shown. */
const most = 6;

/** A person's card: who it is, what one may do, and where one meets. */
export function Card({ user, person }: { user: string; person: Person }) {
  const isMe = user === idOf(me());
  const { value: shared } = useLoaded(async () => (isMe ? [] : findShared(user)), [user]);
  const shown = personOf(user) ?? person;
  const talk = () => {
    closePopover();
    void attempt(() => openConversation([user]));
  };
  const common = (shared ?? []).flatMap(({ room }) => roomOf(room.$oid) ?? []).filter(({ isDirect }) => !isDirect);
  return (
    <>
      <div class="head">
        <Avatar name={nameOf(shown)} id={user} />
        <p class="who">
          <bdi class="name">{nameOf(shown)}</bdi>
          <span class="muted">@{shown.username}</span>
        </p>
      </div>
      {isMe ? (
        <a class="button" href="/settings/profile" onClick={() => closePopover()}>
          {strings.people.settings}
        </a>
      ) : (
        <button type="button" class="primary" onClick={talk}>
          <Icon name="reply" /> {strings.people.message}
        </button>
      )}
      {common.length > 0 && (
        <section aria-label={strings.people.common}>
          <p class="muted">{strings.people.common}</p>
          <ul>
            {common.slice(0, most).map(({ id, name }) => (
              <li key={id}>
                <a href={roomPath(id)} onClick={() => closePopover({ isFocusKept: true })}>
                  <Icon name="hash" /> <bdi>{safeName(name)}</bdi>
                </a>
              </li>
            ))}
          </ul>
          {common.length > most && <p class="muted">{strings.people.more(common.length - most)}</p>}
        </section>
      )}
    </>
  );
}

/** The memberships of somebody in my rooms, which also tell what they are called now. */
async function findShared(user: string): Promise<Member[]> {
  const members = (await ask(chat.GET('/api/members', { params: { query: { user, limit: 200 } } }))) as Member[];
  learnNamed(members);
  return members;
}
