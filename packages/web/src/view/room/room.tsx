import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import { isNarrow } from '../../device/narrow.ts';
import { type Panel, type Route, roomPath } from '../../device/routes.ts';
import { numberOf, strings } from '../../i18n/strings.ts';
import { isNotifyAsked } from '../../store/notify-question.ts';
import { authorOf } from '../../store/people/names.ts';
import { roomOf, rooms } from '../../store/rooms/rooms.ts';
import { aboutRoom, loadAbout } from '../../store/rooms/topics.ts';
import { intentOf } from '../../store/scroll-intent.ts';
import type { Timeline } from '../../store/timeline.ts';
import { timelineOf } from '../../store/timelines.ts';
import { sync } from '../../sync/sync.ts';
import { safeName } from '../../text/names.ts';
import { Composer } from '../message/composer/composer.tsx';
import { Typing } from '../message/composer/typing.tsx';
import { MessageList } from '../message/message-list.tsx';
import { Avatar, PeopleMark, RoomMark } from '../people/avatar.tsx';
import { PresenceDot, PresenceText } from '../people/presence.tsx';
import { Boundary } from '../shared/boundary.tsx';
import { BackLink, Loading } from '../shared/controls.tsx';
import { Icon, type IconName } from '../shared/icon.tsx';
import { later } from '../shared/later.tsx';
import { useLoaded } from '../shared/use-list.ts';
import { Line } from '../text/markdown.tsx';
import { List } from './list.tsx';

/** As wide as the final content, so that nothing moves. */
const Waiting = () => (
  <aside class="side">
    <Loading />
  </aside>
);

const AskToNotify = later(
  async () => (await import('./ask-to-notify.tsx')).AskToNotify,
  () => null,
);
const Integrations = later(async () => (await import('./details.tsx')).Integrations, Waiting);
const RoomSettings = later(async () => (await import('./room-settings.tsx')).RoomSettings, Waiting);
const NotIn = later(async () => (await import('../sidebar/directory.tsx')).NotIn);
const Details = later(async () => (await import('./details.tsx')).Details, Waiting);
const Members = later(async () => (await import('./members.tsx')).Members, Waiting);
const Pins = later(async () => (await import('../lists/lists.tsx')).Pins, Waiting);
const Search = later(async () => (await import('./search.tsx')).Search, Waiting);
const ThreadPanel = later(async () => (await import('../message/thread/thread.tsx')).ThreadPanel, Waiting);

type RoomProps = Extract<Route, { name: 'room' }>;

/** A room: its messages, the composer, and a panel beside them such as a thread or the members. */
export function RoomView({ room, seq, place, turn, ...asked }: RoomProps) {
  // If only one of them fits, the panel gives way to the message that it led to.
  const { thread, reply, panel } = isNarrow.value && seq !== undefined ? givenWay : asked;
  const mine = roomOf(room);
  const isKnown = mine !== undefined;
  const timeline = timelineOf(room);
  useEffect(() => {
    if (!mine) return;
    intentOf(timeline).unread = mine.unread;
    void intentOf(timeline)
      .open(mine.lastRead, mine.seq, seq, place)
      .then(() => sync.wake(room));
  }, [timeline, isKnown, seq, turn]);
  // Messages have priority.
  const isOpen = isKnown && timeline.state.value !== 'loading';
  const about = useLoaded(async () => (isOpen ? loadAbout(room) : undefined), [room, isOpen]);

  if (!mine) return <main class="pane home">{rooms.value ? <NotIn room={room} /> : <Loading />}</main>;
  const { details } = aboutRoom(room);
  const name = safeName(mine.name);
  const other = mine.people.length === 1 ? mine.people[0] : undefined;
  return (
    <main class="room-main">
      <h1 class="visually-hidden">
        {name}
        {other && <PresenceText user={other.id} />}
        {!mine.isDirect && mine.isOpen === false && <> ({strings.rooms.closed})</>}
      </h1>
      <div class={thread !== undefined || panel !== undefined ? 'pane room-pane beside' : 'pane room-pane'}>
        <header class="bar">
          <BackLink />
          <div class="title">
            {/* The heading says it for screen readers, also while something covers the room. */}
            <p class="name" aria-hidden="true" title={name}>
              {mine.isDirect ? <PeopleMark room={mine} /> : <RoomMark id={room} avatar={mine.avatar} isOpen={mine.isOpen} />}
              <bdi>{name}</bdi>
              {other && <PresenceDot user={other.id} />}
            </p>
            {details?.topic && (
              <p class="topic" title={details.topic}>
                <bdi>
                  <Line text={details.topic} />
                </bdi>
              </p>
            )}
          </div>
          <PanelLink room={room} panel="search" open={panel} icon="search" label={strings.room.search} />
          <PanelLink room={room} panel="pins" open={panel} icon="pin" label={strings.room.pins} />
          <PanelLink room={room} panel="members" open={panel} label={strings.room.members} count={details?.member_count}>
            <Faces timeline={timeline} />
          </PanelLink>
          <PanelLink room={room} panel="details" open={panel} icon="info" label={strings.room.details} />
        </header>
        <MessageList timeline={timeline} name={name} />
        <Typing room={room} />
        {isNotifyAsked.value && <AskToNotify />}
        {details?.archived_at ? <p class="composer muted">{strings.room.archived}</p> : <Composer room={room} name={name} />}
      </div>
      <Boundary key={thread ?? panel}>
        {thread !== undefined ? (
          <ThreadPanel key={thread} room={room} id={thread} reply={reply} />
        ) : panel === 'members' ? (
          <Members room={room} />
        ) : panel === 'pins' ? (
          <Pins room={room} />
        ) : panel === 'search' ? (
          <Search room={room} />
        ) : panel === 'details' ? (
          <Details room={room} failure={about.failure} onRetry={about.reload} />
        ) : panel === 'integrations' ? (
          <Integrations room={room} failure={about.failure} onRetry={about.reload} />
        ) : panel === 'settings' ? (
          <RoomSettings room={room} failure={about.failure} onRetry={about.reload} />
        ) : panel !== undefined ? (
          <List list={panel} room={room} />
        ) : null}
      </Boundary>
    </main>
  );
}

const givenWay: Partial<RoomProps> = {};

type PanelLinkProps = {
  room: string;
  panel: Panel;
  open: Panel | undefined;
  icon?: IconName;
  label: string;
  count?: number | undefined;
  children?: ComponentChildren;
};

/** Opens a panel, or closes it if it is open. */
const PanelLink = ({ room, panel, open, icon, label, count, children }: PanelLinkProps) => (
  <a
    class={`icon-button to-${panel}`}
    href={open === panel ? roomPath(room) : roomPath(room, { panel })}
    aria-label={children === undefined ? label : undefined}
    title={label}
    aria-current={open === panel ? 'true' : undefined}
  >
    {icon && <Icon name={icon} />}
    {children}
    {children !== undefined && (
      <span class="visually-hidden">
        {label}
        {count !== undefined && ': '}
      </span>
    )}
    {count !== undefined && numberOf(count)}
  </a>
);

/** The most faces in the header of a room. */
const mostFaces = 3;

/** The faces of the last people who said something here. */
function Faces({ timeline }: { timeline: Timeline }) {
  const authors = new Map(timeline.window.value.messages.toReversed().map((message) => [message.user.$oid, message]));
  const last = [...authors.values()].filter(({ username, is_bot }) => username !== '' && !is_bot).slice(0, mostFaces);
  if (last.length === 0) return <Icon name="users" />;
  return (
    <span class="faces">
      {last.map((message) => (
        <Avatar key={message.user.$oid} person={authorOf(message)} id={message.user.$oid} isSmall />
      ))}
    </span>
  );
}
