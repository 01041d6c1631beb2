import { roles } from 'chat-service-rules/permissions';
import { useState } from 'preact/hooks';
import { notice } from '../../device/announcer.tsx';
import { strings } from '../../i18n/strings.ts';
import { laterStrings } from '../../i18n/strings-later.ts';
import { ask, chat, type Member } from '../../service/api.ts';
import { idOf } from '../../service/ids.ts';
import { nameOf } from '../../store/people/names.ts';
import { readPage } from '../../store/read-page.ts';
import { safeName } from '../../text/names.ts';
import { Avatar } from '../people/avatar.tsx';
import { attempt, Choice, Form, PersonNames } from '../shared/controls.tsx';
import { Pages } from '../shared/pages.tsx';
import { PeopleField } from '../text/people-field.tsx';
import { agreed, Search } from './list.tsx';
import { Bans } from './parts.tsx';

type RoomMembersProps = { room: string; onChange: () => void };

/** The members of a room with their roles, for administrators who need not be members. */
export function RoomMembers({ room, onChange }: RoomMembersProps) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details class="addresses" onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>{strings.room.members}</summary>
      {isOpen && <List room={room} onChange={onChange} />}
    </details>
  );
}

const roleOf = (role: Member['role']) => laterStrings.members[role];

function List({ room, onChange }: RoomMembersProps) {
  const [q, setQ] = useState('');
  const [turn, setTurn] = useState(0);
  const words = laterStrings.members;
  const changed = () => {
    setTurn((before) => before + 1);
    onChange();
  };
  const add = async ({ username = '', role }: Record<string, string>) => {
    const added = await ask(
      chat.POST('/api/members', { body: { room, username: username.trim(), role: role as Member['role'] } }),
    );
    notice(words.added(nameOf(added)));
    changed();
  };
  const read = (after?: string) => readPage('/api/members', { room, q: q || undefined }, after);
  return (
    <div class="stack-wide">
      <Search label={words.find} onSearch={setQ} />
      <Pages read={read} input={q} turn={turn} none={laterStrings.lists.noMatches}>
        {(list) => (
          <ul class="listed">
            {list.map((member) => (
              <MemberItem key={`${turn} ${idOf(member)}`} member={member} onChange={changed} />
            ))}
          </ul>
        )}
      </Pages>
      <Form key={turn} onSubmit={add} submit={laterStrings.invite.add}>
        <div class="row">
          <PeopleField label={laterStrings.invite.people} name="username" most={1} />
          <Choice name="role" label={laterStrings.admin.rooms.role} choices={roles} chosen="member" shown={roleOf} />
        </div>
      </Form>
      <Bans room={room} changes={turn} />
    </div>
  );
}

function MemberItem({ member, onChange }: { member: Member; onChange: () => void }) {
  const words = laterStrings.members;
  const name = safeName(nameOf(member));
  const params = { path: { member: idOf(member) } };
  const change = async (role: string) => {
    await attempt(() => ask(chat.PATCH('/api/members/{member}', { params, body: { role: role as Member['role'] } })));
    onChange();
  };
  const remove = async (isBan: boolean) => {
    const [question, label] = isBan ? [words.banAsk(name), words.ban] : [words.removeAsk(name), words.remove];
    if (!(await agreed(question, [laterStrings.admin.rooms.messagesStay], label, { isDangerous: true }))) return;
    const query = isBan ? { ban: 'true' as const } : {};
    await attempt(() => ask(chat.DELETE('/api/members/{member}', { params: { ...params, query } })));
    onChange();
  };
  return (
    <li class="card managed">
      <Avatar person={member} id={member.user.$oid} />
      <div class="body">
        <PersonNames person={member} />
      </div>
      <div class="row">
        <select
          aria-label={laterStrings.admin.rooms.roleOf(name)}
          value={member.role}
          onChange={({ currentTarget }) => void change(currentTarget.value)}
        >
          {roles.map((role) => (
            <option key={role} value={role}>
              {roleOf(role)}
            </option>
          ))}
        </select>
        <button type="button" onClick={() => void remove(false)}>
          {words.remove}
        </button>
        <button type="button" onClick={() => void remove(true)}>
          {words.ban}
        </button>
      </div>
    </li>
  );
}
