import type { ManagedRoom, RoomUsage } from 'chat-service-client/contract';
import { useState } from 'preact/hooks';
import { me } from '../../account/session.ts';
import { notice } from '../../device/announcer.tsx';
import { shortOf } from '../../i18n/dates.ts';
import { locale } from '../../i18n/locale.ts';
import { sizeOf } from '../../i18n/sizes.ts';
import { strings } from '../../i18n/strings.ts';
import { laterStrings } from '../../i18n/strings-later.ts';
import { ask, chat, Failure, randomKey, sentenceOf, type User } from '../../service/api.ts';
import { idOf } from '../../service/ids.ts';
import { nameOf } from '../../store/people/names.ts';
import { readPage } from '../../store/read-page.ts';
import { roomOf } from '../../store/rooms/rooms.ts';
import { safeName } from '../../text/names.ts';
import { Field, Form, Loading } from '../shared/controls.tsx';
import { openDialog } from '../shared/dialog.tsx';
import { Pages } from '../shared/pages.tsx';
import { useLoaded } from '../shared/use-list.ts';
import { flagsOf, RoomKindField } from '../sidebar/room-kind.tsx';
import { PeopleField } from '../text/people-field.tsx';
import { type Action, Actions } from './actions.tsx';
import { Managed, Search, Tags, useLast } from './list.tsx';
import { RoomMembers } from './members.tsx';
import { Invitations, Webhooks } from './parts.tsx';

/** The address of a room in the list of all rooms. */
export const managedPath = (room: string): string => `/admin/rooms?room=${room}`;

/** Reads rooms by name: all, those that somebody looks for, or the one of the address. */
export const readRooms = (q: string, after?: string) => {
  const room = q === '' ? new URLSearchParams(location.search).get('room') : null;
  return readPage('/api/overview/rooms', { q: q || undefined, room: room ?? undefined }, after);
};

/** The rooms of the service. */
export function Rooms() {
  const [q, setQ] = useState('');
  const words = laterStrings.admin.rooms;
  const [turn, setTurn] = useState(0);
  const { search } = location;
  const create = () =>
    openDialog(
      words.create,
      (close) => <NewRoom close={close} />,
      () => setTurn((before) => before + 1),
    );
  return (
    <>
      <div class="row">
        <button type="button" class="primary" onClick={create}>
          {words.create}
        </button>
      </div>
      <Search label={words.search} onSearch={setQ} />
      {search !== '' && q === '' && <a href="/admin/rooms">{words.all}</a>}
      <Pages read={(after) => readRooms(q, after)} input={`${search} ${q}`} turn={turn} none={laterStrings.lists.noMatches}>
        {(list, replace) => (
          <ul class="listed">
            {list.map((room) => (
              <RoomItem key={idOf(room)} room={room} onChange={(changed) => replace(room, changed)} />
            ))}
          </ul>
        )}
      </Pages>
    </>
  );
}

/** Creates a room for its owner or for the administrator. */
function NewRoom({ close }: { close: () => void }) {
  // By the key of its name and its owner, the room of an attempt that failed on its way is found
  // again: for nobody else.
  const [keys] = useState(() => new Map<string, string>());
  const words = laterStrings.admin.rooms;
  const create = async ({ name = '', owner = '', kind }: Record<string, string>) => {
    const user = await findOwner(owner);
    const body = { name, ...flagsOf(kind) };
    const attempted = JSON.stringify([user, body]);
    const key = keys.get(attempted) ?? randomKey();
    keys.set(attempted, key);
    const header = { 'Idempotency-Key': key };
    const room = idOf(await ask(chat.POST('/api/directory', { params: { header }, body })));
    try {
      if (user) await handOver(room, user);
    } catch (failure) {
      throw new Failure(0, words.stillYours(sentenceOf(failure)));
    }
    close();
    notice(words.created(name));
  };
  return (
    <Form onSubmit={create} submit={laterStrings.newRoom.submit}>
      <Field label={laterStrings.newRoom.name} name="name" maxLength={100} autocomplete="off" autoFocus />
      <RoomKindField legend={laterStrings.newRoom.who} />
      <PeopleField label={words.ownerName} hint={words.ownerHint} name="owner" most={1} required={false} />
    </Form>
  );
}

/** The account of another who is to own a room; undefined for the administrator. */
async function findOwner(typed: string): Promise<string | undefined> {
  const username = typed.trim().replace(/^@/, '').toLowerCase();
  if (username === '' || username === me().username) return undefined;
  const [found] = (await ask(chat.GET('/api/users', { params: { query: { username } } }))) as User[];
  if (!found) throw new Failure(404, laterStrings.search.noAuthor(username));
  if (!found.is_active) throw new Failure(404, laterStrings.admin.rooms.notOwner);
  return idOf(found);
}

/** Makes another the owner of a room that the administrator has just created, and leaves it. */
async function handOver(room: string, user: string): Promise<void> {
  const members = await ask(chat.GET('/api/members', { params: { query: { room } } }));
  const memberOf = (id: string) => members.find((member) => member.user.$oid === id);
  const member = memberOf(user);
  // An open room may have been found, and joined, already.
  if (!member) await ask(chat.POST('/api/members', { body: { room, user, role: 'owner' } }));
  else if (member.role !== 'owner')
    await ask(chat.PATCH('/api/members/{member}', { params: { path: { member: idOf(member) } }, body: { role: 'owner' } }));
  const own = memberOf(idOf(me()));
  if (own) await ask(chat.DELETE('/api/members/{member}', { params: { path: { member: idOf(own) } } }));
}

type RoomItemProps = { room: ManagedRoom; onChange: (changed: ManagedRoom | undefined) => void };

function RoomItem({ room, onChange }: RoomItemProps) {
  const words = laterStrings.admin.rooms;
  const tags = [
    room.owner_count === 0 && words.ownerless,
    room.archived_at && words.archived,
    !room.is_visible && words.hidden,
    !room.is_open && words.closed,
    room.is_default && words.everyone,
    room.is_held && words.held,
  ];
  const head = (
    <div class="body">
      <bdi>{safeName(room.name)}</bdi>
      <Tags of={tags} />
      <p class="muted">
        {[
          strings.directory.members(room.member_count),
          words.messages(room.message_count),
          room.last_message_at && words.last(shortOf(new Date(room.last_message_at.$date))),
        ]
          .filter(Boolean)
          .join(' · ')}
      </p>
    </div>
  );
  return (
    <Managed head={head} name={safeName(room.name)}>
      {() => <RoomPanel room={room} onChange={onChange} />}
    </Managed>
  );
}

/** The details of a room, and the actions on it. */
function RoomPanel({ room, onChange }: RoomItemProps) {
  const id = idOf(room);
  const words = laterStrings.admin.rooms;
  const params = { path: { room: id } };
  const loaded = useLoaded(() => ask(chat.GET('/api/rooms/{room}/usage', { params })), [id]);
  const { failure, reload } = loaded;
  const value = useLast(loaded.value);
  if (!value) return <Loading failure={failure} onRetry={reload} />;
  const readAgain = async () => {
    reload();
    const [read] = await ask(chat.GET('/api/overview/rooms', { params: { query: { room: id } } }));
    if (read) onChange(read);
  };
  return (
    <>
      {failure !== undefined && <Loading failure={failure} onRetry={reload} />}
      {room.topic !== '' && (
        <p>
          <bdi>{room.topic}</bdi>
        </p>
      )}
      <p class="muted">
        {[
          words.since(shortOf(new Date(room.created_at.$date))),
          value.owners.length > 0 &&
            words.owners(new Intl.ListFormat(locale).format(value.owners.map((owner) => safeName(nameOf(owner))))),
          words.files(value.files, sizeOf(value.file_bytes)),
          room.retention_days !== null && words.kept(room.retention_days),
        ]
          .filter(Boolean)
          .join(' · ')}
      </p>
      {roomOf(id) && <a href={`/rooms/${id}`}>{words.open}</a>}
      <Actions actions={actionsOn(room, value, onChange)} name={safeName(room.name)} onDone={() => {}} />
      <RoomMembers room={id} onChange={() => void readAgain()} />
      <Invitations room={id} isOpen={false} />
      <Webhooks room={id} />
    </>
  );
}

/** All that can be done about a room. */
function actionsOn(room: ManagedRoom, usage: RoomUsage, onChange: RoomItemProps['onChange']): (Action | false)[] {
  const words = laterStrings.admin.rooms;
  const id = idOf(room);
  const path = { room: id };
  const change = async (body: { archived?: boolean; is_held?: boolean; is_default?: boolean }) => {
    const { archived_at, is_default } = await ask(chat.PATCH('/api/rooms/{room}/details', { params: { path }, body }));
    onChange({ ...room, archived_at, is_default, is_held: body.is_held ?? room.is_held });
    return laterStrings.settings.changed;
  };
  return [
    room.archived_at
      ? { label: laterStrings.details.unarchive, act: () => change({ archived: false }) }
      : {
          label: laterStrings.details.archive,
          effects: [words.archives, words.staysReadable(usage.members), words.unarchivable],
          act: () => change({ archived: true }),
        },
    room.is_held
      ? { label: words.release, effects: [words.releases], act: () => change({ is_held: false }) }
      : { label: words.hold, effects: [words.holds, words.holdsNobody], act: () => change({ is_held: true }) },
    room.is_default
      ? { label: words.notEveryone, act: () => change({ is_default: false }) }
      : !room.archived_at && {
          label: words.makeEveryone,
          effects: [words.everyoneJoins],
          act: () => change({ is_default: true }),
        },
    {
      label: words.remove,
      effects: [
        words.losesMembers(usage.members),
        words.losesMessages(usage.messages),
        words.losesFiles(usage.files, sizeOf(usage.file_bytes)),
        words.losesMade(usage.invitations, usage.webhooks),
        ...(room.is_held ? [words.losesHeld] : []),
        laterStrings.admin.people.irreversible,
      ],
      isDangerous: true,
      act: async () => {
        await removeRoom(id);
        onChange(undefined);
        document.querySelector<HTMLElement>('.admin input[type="search"]')?.focus();
        return words.removed;
      },
    },
  ];
}

/**
 * A large room is deleted in parts. A request that runs out of time returns 503, and the next one
 * continues.
 */
async function removeRoom(room: string): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      await ask(chat.DELETE('/api/rooms/{room}', { params: { path: { room } } }));
      return;
    } catch (failure) {
      if (!(failure instanceof Failure && failure.status === 503) || tries === mostTries) throw failure;
    }
  }
}

const mostTries = 20;
