import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { changeMe } from '../../account/own-account.ts';
import { me } from '../../account/session.ts';
import { dayOf, isSameDay } from '../../i18n/dates.ts';
import { strings } from '../../i18n/strings.ts';
import { laterStrings } from '../../i18n/strings-later.ts';
import { notifications, setNotifications } from '../../notify/notify.ts';
import { ask, chat, type RoomDetails } from '../../service/api.ts';
import { idOf } from '../../service/ids.ts';
import { settings } from '../../service/settings.ts';
import type { MyRoom } from '../../store/kept.ts';
import { nameOf, personOf } from '../../store/people/names.ts';
import { inviteLink, mayInvite } from '../../store/rooms/invitations.ts';
import { may } from '../../store/rooms/permissions.ts';
import { roomOf } from '../../store/rooms/rooms.ts';
import { aboutRoom, learnAbout } from '../../store/rooms/topics.ts';
import { safeName } from '../../text/names.ts';
import { openInvite } from '../inviting/open-invite.tsx';
import { Avatar } from '../people/avatar.tsx';
import { attempt, Field, Form } from '../shared/controls.tsx';
import { copyOut } from '../shared/copy.tsx';
import { openDialog } from '../shared/dialog.tsx';
import { Icon } from '../shared/icon.tsx';
import { kindOfRoom } from '../sidebar/room-kind.tsx';
import './welcome.css';

/** The longest wait for the details of the room, which add lines to the text. */
const longestWaitMs = 1_500;

/** The text of an empty room: its kind, its readers, and the first things to do. */
export function Welcome({ room }: { room: string }) {
  const mine = roomOf(room);
  const { details } = aboutRoom(room);
  const [isLate, setLate] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setLate(true), longestWaitMs);
    return () => clearTimeout(timer);
  }, [room]);
  if (!mine) return null;
  if (mine.isDirect) return <WelcomeToConversation mine={mine} />;
  return details || isLate ? <WelcomeToRoom mine={mine} details={details} /> : null;
}

function WelcomeToConversation({ mine }: { mine: MyRoom }) {
  const words = laterStrings.welcome;
  const name = safeName(mine.name);
  return (
    <section class="beginning welcome">
      <span class="welcome-faces">
        {mine.people.slice(0, 3).map((person) => (
          <Avatar key={person.id} person={person} id={person.id} />
        ))}
      </span>
      <h2>{name}</h2>
      <p class="muted">{mine.people.length === 1 ? words.ofTwo(name) : words.ofSome}</p>
    </section>
  );
}

function WelcomeToRoom({ mine, details }: { mine: MyRoom; details: RoomDetails | undefined }) {
  const { id: room } = mine;
  const words = laterStrings.welcome;
  const { room: about } = aboutRoom(room);
  const [areOn, setOn] = useState(notifications.areOn());
  const isArchived = details?.archived_at != null;
  const canNotify = notifications.exist && !areOn && !notifications.areBlocked();
  return (
    <section class="beginning welcome">
      <span class="welcome-mark">
        <Icon name={about?.is_open === false ? 'lock' : 'hash'} />
      </span>
      <h2>{words.title(safeName(mine.name))}</h2>
      <p class="muted">
        {details && <>{createdBy(details)} </>}
        {about && words.readers[kindOfRoom(about)](settings.name)}
      </p>
      {!isArchived && (
        <ul class="welcome-cards">
          {mayInvite(mine) && (
            <Card title={strings.rooms.invite} text={words.inviteText}>
              <CopyLink room={room} />
              <button type="button" class="link" onClick={() => void openInvite(room)}>
                {laterStrings.invite.people}
              </button>
            </Card>
          )}
          {may(mine, 'change') && details?.topic === '' && (
            <Card title={words.topic} text={words.topicText}>
              <button
                type="button"
                class="link"
                onClick={() => openDialog(words.addTopic, (close) => <TopicForm room={room} close={close} />)}
              >
                {words.addTopic}
              </button>
            </Card>
          )}
          {me().name === undefined && (
            <Card title={words.name} text={words.nameText(me().username)}>
              <button type="button" class="link" onClick={() => openDialog(words.addName, (close) => <NameForm close={close} />)}>
                {words.addName}
              </button>
            </Card>
          )}
          {canNotify && (
            <Card title={words.notify} text={words.notifyText}>
              <button
                type="button"
                class="link"
                onClick={() => void attempt(() => setNotifications(true)).then(() => setOn(notifications.areOn()))}
              >
                {words.turnOn}
              </button>
            </Card>
          )}
        </ul>
      )}
    </section>
  );
}

type CardProps = { title: string; text: string; children: ComponentChildren };

const Card = ({ title, text, children }: CardProps) => (
  <li class="welcome-card">
    <h3>{title}</h3>
    <p>{text}</p>
    <span class="row">{children}</span>
  </li>
);

/** Makes a link and copies it with one press. */
function CopyLink({ room }: { room: string }) {
  const [isCopied, setCopied] = useState(false);
  const copy = () => attempt(async () => setCopied(await copyOut(inviteLink(room), laterStrings.welcome.linkCopied)));
  return (
    <button type="button" class="link" onClick={() => void copy()}>
      {isCopied ? laterStrings.invite.copied : laterStrings.invite.copy}
    </button>
  );
}

function createdBy({ created_at, created_by }: RoomDetails): string {
  const day = dayOf(new Date(created_at.$date));
  const words = laterStrings.welcome;
  const isToday = isSameDay(new Date(created_at.$date), new Date());
  if (created_by.$oid === idOf(me())) return isToday ? words.createdToday : words.createdByMe(day);
  const person = personOf(created_by.$oid);
  return person ? words.createdBy(nameOf(person), day) : words.created(day);
}

function TopicForm({ room, close }: { room: string; close: () => void }) {
  const save = async ({ topic = '' }: Record<string, string>) => {
    const params = { path: { room } };
    const details = await ask(chat.PATCH('/api/rooms/{room}/details', { params, body: { topic } }));
    learnAbout(room, { details: details as RoomDetails });
    close();
  };
  return (
    <Form onSubmit={save} submit={strings.app.save}>
      <Field
        label={laterStrings.details.topic}
        name="topic"
        maxLength={250}
        autocomplete="off"
        autocapitalize="sentences"
        autoFocus
      />
    </Form>
  );
}

function NameForm({ close }: { close: () => void }) {
  const save = async ({ name = '' }: Record<string, string>) => {
    await changeMe({ name: name.trim() });
    close();
  };
  return (
    <Form onSubmit={save} submit={strings.app.save}>
      <Field label={laterStrings.signUp.name} name="name" autocomplete="name" autocapitalize="words" maxLength={128} autoFocus />
    </Form>
  );
}
