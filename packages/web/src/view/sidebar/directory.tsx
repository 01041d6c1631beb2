import { useEffect, useRef, useState } from 'preact/hooks';
import { mayMakeRooms } from '../../account/session.ts';
import { go, roomPath } from '../../device/routes.ts';
import { strings } from '../../i18n/strings.ts';
import { ask, chat, type ListedRoom } from '../../service/api.ts';
import { idOf } from '../../service/ids.ts';
import { readPage } from '../../store/read-page.ts';
import { roomOf } from '../../store/rooms/rooms.ts';
import { sync } from '../../sync/sync.ts';
import { safeName } from '../../text/names.ts';
import { RoomMark } from '../people/avatar.tsx';
import { attempt, BackLink, Loading } from '../shared/controls.tsx';
import { Pages } from '../shared/pages.tsx';
import { useLoaded } from '../shared/use-list.ts';
import { Line } from '../text/markdown.tsx';
import { openNewRoom } from './keys.tsx';

/** The rooms that one may find, to join them. */
export function Directory() {
  const [start, setStart] = useState('');
  const read = (after?: string) => readPage('/api/directory', { q: start || undefined }, after);
  return (
    <main class="pane directory">
      <header class="bar">
        <BackLink />
        <h1 class="title">{strings.rooms.browse}</h1>
        {mayMakeRooms() && (
          <button type="button" class="primary" onClick={() => void openNewRoom()}>
            {strings.directory.create}
          </button>
        )}
      </header>
      <div class="content">
        <input
          type="search"
          aria-label={strings.directory.search}
          placeholder={strings.directory.search}
          maxLength={100}
          onInput={({ currentTarget }) => setStart(currentTarget.value.trim())}
        />
        <Pages read={read} input={start} none={start === '' ? strings.directory.empty : strings.directory.none}>
          {(list) => (
            <ul class="listed">
              {list.map((room) => (
                <Listed key={idOf(room)} room={room} />
              ))}
            </ul>
          )}
        </Pages>
      </div>
    </main>
  );
}

async function join(room: string): Promise<void> {
  await ask(chat.POST('/api/members', { body: { room } }));
  await sync.readRooms({ all: true });
}

/** The page of a room that the user is not in, with a button to join it if it is open. */
export function NotIn({ room }: { room: string }) {
  const { value, failure } = useLoaded(() => ask(chat.GET('/api/rooms/{room}', { params: { path: { room } } })), [room]);
  const sentence = useRef<HTMLParagraphElement>(null);
  const isKnown = value !== undefined || failure !== undefined;
  // Users who were removed while they wrote lost the focused field. Otherwise their next Enter
  // could press a button.
  useEffect(() => {
    if (document.activeElement === document.body) sentence.current?.focus();
  }, [isKnown]);
  if (!isKnown) return <Loading />;
  return (
    <>
      {value && (
        <h1>
          <bdi>{safeName(value.name)}</bdi>
        </h1>
      )}
      <p ref={sentence} tabIndex={-1}>
        {value ? (value.is_open ? strings.room.notIn : strings.room.closed) : strings.room.gone}
      </p>
      {value?.is_open && (
        <button type="button" class="primary" onClick={() => void attempt(() => join(room))}>
          {strings.room.join}
        </button>
      )}
      <a class="button" href="/directory">
        {strings.rooms.browse}
      </a>
    </>
  );
}

function Listed({ room }: { room: ListedRoom }) {
  const id = idOf(room);
  const enter = () =>
    attempt(async () => {
      await join(id);
      go(roomPath(id));
    });
  return (
    <li class="card listed-room">
      <div class="body">
        <h2>
          <RoomMark id={id} avatar={room.avatar} isOpen={room.is_open} />
          <bdi>{safeName(room.name)}</bdi>
        </h2>
        {room.topic && (
          <p>
            <bdi>
              <Line text={room.topic} />
            </bdi>
          </p>
        )}
        <p class="muted">{strings.directory.members(room.member_count)}</p>
      </div>
      {roomOf(id) ? (
        <a class="button" href={roomPath(id)}>
          {strings.directory.open}
        </a>
      ) : room.is_open ? (
        <button type="button" class="primary" onClick={() => void enter()}>
          {strings.directory.join}
        </button>
      ) : (
        <span class="muted">{strings.directory.closed}</span>
      )}
    </li>
  );
}
