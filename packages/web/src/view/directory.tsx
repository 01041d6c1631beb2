import { useState } from 'preact/hooks';
import { ask, askFully, chat, type ListedRoom } from '../api.ts';
import { idOf } from '../ids.ts';
import { go, roomPath } from '../routes.ts';
import { mayMakeRooms } from '../session.ts';
import { nextOf } from '../store/members.ts';
import { roomOf } from '../store/rooms.ts';
import { strings } from '../strings.ts';
import { sync } from '../sync/sync.ts';
import { safeName } from '../text/names.ts';
import { attempt, BackLink, Loading } from './controls.tsx';
import { openNewRoom } from './keys.tsx';
import { Line } from './markdown.tsx';
import { useLoaded } from './use-list.ts';

/** The rooms that one may find, to join them. */
export function Directory() {
  const [start, setStart] = useState('');
  const { value, failure, reload, set } = useLoaded(() => readPage(start), [start]);
  const more = async () => {
    if (!value?.next) return;
    const page = await readPage(start, value.next);
    set({ list: [...value.list, ...page.list], next: page.next });
  };
  return (
    <main class="pane directory">
      <header class="bar">
        <BackLink />
        <h1 class="title">{strings.directory.title}</h1>
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
        {!value ? (
          <Loading failure={failure} onRetry={reload} />
        ) : value.list.length === 0 ? (
          <p class="muted center">{start === '' ? strings.directory.empty : strings.directory.none}</p>
        ) : (
          <ul class="listed">
            {value.list.map((room) => (
              <Listed key={idOf(room)} room={room} />
            ))}
          </ul>
        )}
        {value?.next && (
          <button type="button" onClick={() => void more().catch(() => {})}>
            {strings.app.more}
          </button>
        )}
      </div>
    </main>
  );
}

async function readPage(start: string, after?: string): Promise<{ list: ListedRoom[]; next: string | undefined }> {
  const query = { limit: 50, ...(start !== '' && { q: start }), ...(after !== undefined && { after }) };
  const { data, headers } = await askFully<ListedRoom[]>(chat.GET('/api/directory', { params: { query } }));
  return { list: data, next: nextOf(headers) };
}

function Listed({ room }: { room: ListedRoom }) {
  const id = idOf(room);
  const join = () =>
    attempt(async () => {
      await ask(chat.POST('/api/members', { body: { room: id } }));
      await sync.readRooms({ all: true });
      go(roomPath(id));
    });
  return (
    <li class="card">
      <div class="body">
        <h2>
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
        <button type="button" class="primary" onClick={() => void join()}>
          {strings.directory.join}
        </button>
      ) : (
        <span class="muted">{strings.directory.closed}</span>
      )}
    </li>
  );
}
