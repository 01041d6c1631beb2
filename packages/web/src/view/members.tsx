import { useState } from 'preact/hooks';
import { ask, chat, type Member } from '../api.ts';
import { idOf } from '../ids.ts';
import { go } from '../routes.ts';
import { me } from '../session.ts';
import { loadMembers, membersOf } from '../store/members.ts';
import { roomOf } from '../store/rooms.ts';
import { strings } from '../strings.ts';
import { readRooms } from '../sync/sync.ts';
import { notice } from './announcer.tsx';
import { Avatar, attempt, Field, Form, Loading } from './controls.tsx';
import { confirmed } from './dialog.tsx';
import { Invitations } from './invitations.tsx';
import { Side } from './side.tsx';
import { useLoaded } from './use-list.ts';

const roles = ['owner', 'moderator', 'member'] as const;

/** Who is in a room, in which role; and, for those who may, adding, removing and banning. */
export function Members({ room }: { room: string }) {
  const { failure, reload } = useLoaded(() => loadMembers(room, { anew: true }), [room]);
  const list = membersOf(room);
  const mine = roomOf(room);
  const role = mine?.isDirect ? 'member' : (mine?.role ?? 'member');
  const isModerator = role !== 'member';
  return (
    <Side room={room} title={strings.members.title}>
      <div class="side-content">
        {isModerator && <Invite room={room} />}
        {list ? (
          <ul class="members">
            {list.map((member) => (
              <MemberRow key={member.user.$oid} member={member} mine={role} mayBlock={mine?.isDirect ?? false} />
            ))}
          </ul>
        ) : (
          <Loading failure={failure} onRetry={reload} />
        )}
        {isModerator && <Invitations key={room} room={room} />}
        {isModerator && <Bans room={room} count={list?.length ?? 0} />}
      </div>
    </Side>
  );
}

type MemberProps = { member: Member; mine: (typeof roles)[number]; mayBlock: boolean };

function MemberRow({ member, mine, mayBlock }: MemberProps) {
  const isMe = member.user.$oid === idOf(me());
  const params = { path: { member: idOf(member) } };
  const name = member.username || strings.message.deletedUser;
  const may = !isMe && (mine === 'owner' || (mine === 'moderator' && member.role === 'member'));
  const act = async (action: () => Promise<unknown>) => {
    await attempt(action);
    await loadMembers(member.room.$oid, { anew: true }).catch(() => {});
  };
  const change = (role: string) =>
    void act(() => ask(chat.PATCH('/api/members/{member}', { params, body: { role: role as Member['role'] } })));
  const remove = async (isBan: boolean) => {
    const question = isBan ? strings.members.banAsk(name) : strings.members.removeAsk(name);
    if (!(await confirmed(question, isBan ? strings.members.ban : strings.members.remove))) return;
    const query = isBan ? { ban: 'true' as const } : {};
    await act(() => ask(chat.DELETE('/api/members/{member}', { params: { ...params, query } })));
  };
  const block = async () => {
    if (!(await confirmed(strings.members.blockAsk(name), strings.members.block))) return;
    await attempt(async () => {
      await ask(chat.POST('/api/blocks', { body: { user: member.user.$oid } }));
      await readRooms({ all: true });
      if (!roomOf(member.room.$oid)) go('/', { replace: true });
    });
  };
  return (
    <li class="member">
      <Avatar name={name} id={member.user.$oid} />
      <span class="name">
        <bdi>{name}</bdi>
        {isMe && <span class="muted"> ({strings.message.you})</span>}
      </span>
      {mine === 'owner' ? (
        <select
          aria-label={strings.members.role(name)}
          value={member.role}
          onChange={({ currentTarget }) => change(currentTarget.value)}
        >
          {roles.map((role) => (
            <option key={role} value={role}>
              {strings.members[role]}
            </option>
          ))}
        </select>
      ) : (
        member.role !== 'member' && <span class="tag">{strings.members[member.role]}</span>
      )}
      {mayBlock && !isMe && (
        <button type="button" onClick={() => void block()}>
          {strings.members.block}
        </button>
      )}
      {may && (
        <span class="row">
          <button type="button" onClick={() => void remove(false)}>
            {strings.members.remove}
          </button>
          <button type="button" onClick={() => void remove(true)}>
            {strings.members.ban}
          </button>
        </span>
      )}
    </li>
  );
}

function Invite({ room }: { room: string }) {
  const [turn, setTurn] = useState(0);
  const invite = async ({ invited = '' }: Record<string, string>) => {
    const added = (await ask(chat.POST('/api/members', { body: { room, username: invited.replace(/^@/, '') } }))) as Member;
    notice(strings.members.added(added.username));
    setTurn(turn + 1);
    await loadMembers(room, { anew: true });
  };
  return (
    <Form key={turn} class="inline" onSubmit={invite} submit={strings.members.inviteSubmit}>
      <Field label={strings.members.invite} name="invited" autocomplete="off" maxLength={65} />
    </Form>
  );
}

function Bans({ room, count }: { room: string; count: number }) {
  const { value, reload } = useLoaded(
    async () => await ask(chat.GET('/api/bans', { params: { query: { room, limit: 200 } } })),
    [room, count],
  );
  if (!value || value.length === 0) return null;
  const lift = async (user: string) => {
    await attempt(() => ask(chat.DELETE('/api/bans', { params: { query: { room, user } } })));
    reload();
  };
  return (
    <section>
      <h3>{strings.members.bans}</h3>
      <ul class="members">
        {value.map(({ user, username }) => (
          <li class="member" key={user.$oid}>
            <Avatar name={username} id={user.$oid} />
            <bdi class="name">{username}</bdi>
            <button type="button" onClick={() => void lift(user.$oid)}>
              {strings.members.unban}
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}
