import type { Ban } from 'chat-service-client/contract';
import { type Action, roles } from 'chat-service-rules/permissions';
import { useEffect, useRef, useState } from 'preact/hooks';
import { me } from '../../account/session.ts';
import { goFrom } from '../../device/routes.ts';
import { strings } from '../../i18n/strings.ts';
import { laterStrings } from '../../i18n/strings-later.ts';
import { ask, chat, type Member } from '../../service/api.ts';
import { idOf } from '../../service/ids.ts';
import { changeMembers, hasMoreMembers, loadMembers, membersOf } from '../../store/people/members.ts';
import { findMembers, loadMoreMembers } from '../../store/people/more-members.ts';
import { nameOf, personOf, statusOf } from '../../store/people/names.ts';
import { appended, type Page, readPage } from '../../store/read-page.ts';
import { mayInvite } from '../../store/rooms/invitations.ts';
import { may } from '../../store/rooms/permissions.ts';
import { roomOf } from '../../store/rooms/rooms.ts';
import { sync } from '../../sync/sync.ts';
import { AddPeople } from '../inviting/invite.tsx';
import { AboutSide } from '../lists/about-side.tsx';
import { Avatar } from '../people/avatar.tsx';
import { PersonButton } from '../people/person.tsx';
import { PresenceDot, PresenceText } from '../people/presence.tsx';
import { attempt, Loading, PersonNames, StatusMark } from '../shared/controls.tsx';
import { confirmed } from '../shared/dialog.tsx';
import { MenuButton, type MenuItem } from '../shared/menu.tsx';
import { RovingList } from '../shared/roving.tsx';
import { useLoaded, useNextPage } from '../shared/use-list.ts';
import { Invitations, InvitedAddress, SentTo } from './invitations.tsx';
import './members.css';

// For `admin/parts.tsx`.
export { Invitations, InvitedAddress, SentTo };

/** How many members are drawn at first, and how many more when one has scrolled to them. */
const portion = 60;

/** A search field appears from this number of members on. */
const many = 20;

/** The members of a room with their roles; adding, removing and banning for users who may. */
export function Members({ room }: { room: string }) {
  const { failure, reload } = useLoaded(() => loadMembers(room, { again: true }), [room]);
  const [part, setPart] = useState('');
  const [changes, setChanges] = useState(0);
  const { value: found } = useLoaded(async () => (part === '' ? undefined : findMembers(room, part, portion)), [room, part]);
  const list = membersOf(room);
  const mine = roomOf(room);
  const shown = part === '' ? list : found;
  return (
    <AboutSide room={room} tab="members">
      <div class="side-content">
        {mine && mayInvite(mine) && <AddPeople room={room} />}
        {mine && mayInvite(mine) && list && <Invitations key={room} room={room} isOpen={list.length === 1} />}
        {list && (list.length > many || hasMoreMembers(room)) && (
          <input
            type="search"
            aria-label={laterStrings.members.find}
            placeholder={laterStrings.members.find}
            maxLength={64}
            onInput={({ currentTarget }) => setPart(currentTarget.value.trim())}
          />
        )}
        {shown?.length === 0 && (
          <p class="muted" role="status">
            {laterStrings.lists.noMatches}
          </p>
        )}
        {shown ? (
          <Rows
            key={part}
            list={shown}
            mayBlock={mine?.isDirect ?? false}
            onChange={() => setChanges(changes + 1)}
            more={part === '' && hasMoreMembers(room) ? () => loadMoreMembers(room) : undefined}
          />
        ) : (
          <Loading failure={list ? undefined : failure} onRetry={reload} />
        )}
        {mine && !mine.isDirect && may(mine, 'seeBans') && <Bans room={room} changes={changes} />}
      </div>
    </AboutSide>
  );
}

type RowsProps = {
  list: readonly Member[];
  mayBlock: boolean;
  onChange: () => void;
  more: (() => Promise<void>) | undefined;
};

/** The first members of a list, and more as one scrolls: to draw thousands takes seconds. */
function Rows({ list, mayBlock, onChange, more }: RowsProps) {
  const [count, setCount] = useState(portion);
  const [failure, setFailure] = useState<unknown>();
  const end = useRef<HTMLLIElement>(null);
  const drawn = list.slice(0, count);
  const hasRest = count < list.length || more !== undefined;
  const load = () => {
    setFailure(undefined);
    more?.().catch(setFailure);
  };
  useEffect(() => {
    if (!end.current) return undefined;
    const observer = new IntersectionObserver((seen) => {
      // A busy browser may report leaving and entering the view at the same time.
      if (!seen.at(-1)?.isIntersecting) return;
      if (count + portion > list.length) load();
      setCount(Math.min(count, list.length) + portion);
    });
    observer.observe(end.current);
    return () => observer.disconnect();
  }, [count, list.length, more !== undefined]);
  return (
    <RovingList class="members">
      {drawn.map((member) => (
        <MemberRow key={member.user.$oid} member={member} mayBlock={mayBlock} onChange={onChange} />
      ))}
      {hasRest && (
        // Another element each time: the same one would jump down.
        <li ref={end} key={drawn.length}>
          <Loading failure={failure} onRetry={load} />
        </li>
      )}
    </RovingList>
  );
}

type MemberProps = { member: Member; mayBlock: boolean; onChange: () => void };

function MemberRow({ member, mayBlock, onChange }: MemberProps) {
  const isMe = member.user.$oid === idOf(me());
  const params = { path: { member: idOf(member) } };
  const person = personOf(member.user.$oid) ?? member;
  const name = nameOf(person);
  const room = member.room.$oid;
  const mine = roomOf(room);
  const mayHere = (action: Action) => mine !== undefined && may(mine, action);
  const mayRemove = !isMe && mayHere(member.role === 'member' ? 'removeMember' : 'removeModerator');
  const change = (role: string) =>
    void attempt(async () => {
      const body = { role: role as Member['role'] };
      changeMembers(room, { members: [await ask(chat.PATCH('/api/members/{member}', { params, body }))], left: [] });
    });
  const remove = async (isBan: boolean) => {
    const question = isBan ? laterStrings.members.banAsk(name) : laterStrings.members.removeAsk(name);
    if (!(await confirmed(question, isBan ? laterStrings.members.ban : laterStrings.members.remove, { isDangerous: true })))
      return;
    const query = isBan ? { ban: 'true' as const } : {};
    await attempt(async () => {
      await ask(chat.DELETE('/api/members/{member}', { params: { ...params, query } }));
      changeMembers(room, { members: [], left: [member.user.$oid] });
    });
    onChange();
  };
  const block = async () => {
    if (!(await confirmed(laterStrings.members.blockAsk(name), laterStrings.members.block, { isDangerous: true }))) return;
    await attempt(async () => {
      await ask(chat.POST('/api/blocks', { body: { user: member.user.$oid } }));
      await sync.readRooms({ all: true });
      if (!roomOf(room)) goFrom(room);
    });
  };
  const items: MenuItem[] = [
    ...(mayHere('changeRole') ? roles.toReversed().filter((role) => role !== member.role) : []).map((role) => ({
      label: laterStrings.members.make[role],
      icon: 'user' as const,
      act: () => change(role),
    })),
    ...(mayBlock && !isMe ? [{ label: laterStrings.members.block, icon: 'lock' as const, act: block, isDangerous: true }] : []),
    ...(mayRemove
      ? [
          { label: laterStrings.members.remove, icon: 'close' as const, act: () => remove(false), isDangerous: true },
          { label: laterStrings.members.ban, icon: 'remove' as const, act: () => remove(true), isDangerous: true },
        ]
      : []),
  ];
  return (
    <li class="member">
      <PersonButton user={member.user.$oid} person={member} isHidden>
        <span class="face">
          <Avatar person={person} id={member.user.$oid} />
          <PresenceDot user={member.user.$oid} />
        </span>
      </PersonButton>
      <span class="name">
        <PersonButton user={member.user.$oid} person={member}>
          <PersonNames person={person}>
            {isMe && <span class="muted"> ({strings.message.you})</span>}
            <StatusMark status={statusOf(member.user.$oid)} />
            <PresenceText user={member.user.$oid} />
          </PersonNames>
        </PersonButton>
      </span>
      {member.role !== 'member' && <span class="tag">{laterStrings.members[member.role]}</span>}
      {items.length > 0 && <MenuButton label={strings.rooms.actions(name)} items={() => items} />}
    </li>
  );
}

/** The bans of a room, for its moderators. */
export function Bans({ room, changes }: { room: string; changes: number }) {
  const read = (after?: string) => readPage('/api/bans', { room }, after);
  const loaded = useLoaded(() => read(), [room, changes]);
  const { value, reload, change } = loaded;
  const readNext = async ({ next }: Page<Ban>) => {
    const added = await read(next);
    return (now: Page<Ban>) => appended(now, added);
  };
  const more = useNextPage({ page: value, list: loaded, question: room, read: readNext });
  if (!value || (value.list.length === 0 && value.next === undefined)) return null;
  const lift = async (ban: Ban) => {
    const query = { room, user: ban.user.$oid };
    const isLifted = await attempt(() => ask(chat.DELETE('/api/bans', { params: { query } })));
    if (isLifted) change(({ list, next }) => ({ list: list.filter((one) => one.user.$oid !== ban.user.$oid), next }));
    else reload();
  };
  return (
    <section>
      <h3>{laterStrings.members.bans}</h3>
      <ul class="members">
        {value.list.map((ban) => (
          <li class="member" key={ban.user.$oid}>
            <Avatar person={ban} id={ban.user.$oid} />
            <span class="name">
              <PersonNames person={ban} />
            </span>
            <button type="button" onClick={() => void lift(ban)}>
              {laterStrings.members.unban}
            </button>
          </li>
        ))}
      </ul>
      {value.next !== undefined && (
        <button type="button" onClick={more}>
          {strings.app.more}
        </button>
      )}
    </section>
  );
}
