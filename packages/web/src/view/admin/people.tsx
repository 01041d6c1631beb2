import { useState } from 'preact/hooks';
import { me } from '../../account/session.ts';
import { strings } from '../../i18n/strings.ts';
import { laterStrings } from '../../i18n/strings-later.ts';
import { ask, chat, randomKey, type User } from '../../service/api.ts';
import { idOf } from '../../service/ids.ts';
import { nameOf } from '../../store/people/names.ts';
import { readPage } from '../../store/read-page.ts';
import { rooms } from '../../store/rooms/rooms.ts';
import { safeName } from '../../text/names.ts';
import { Avatar } from '../people/avatar.tsx';
import { Check, Field, Form, PersonNames } from '../shared/controls.tsx';
import { openDialog } from '../shared/dialog.tsx';
import { ShownOnce } from '../shared/shown-once.tsx';
import { type Link, makeLink, ShownLink } from './link.tsx';
import { Managed, Pages, Search } from './list.tsx';
import { InvitedAddress, SentTo } from './parts.tsx';
import { PersonPanel } from './person.tsx';

/** The accounts of the service. */
export function People() {
  const [q, setQ] = useState('');
  const [turn, setTurn] = useState(0);
  const words = laterStrings.admin.people;
  const read = (after?: string) =>
    readPage<User>(
      (next) =>
        chat.GET('/api/users', {
          params: { query: { limit: 50, ...(q !== '' && { q }), ...(next !== undefined && { after: next }) } },
        }),
      after,
    );
  return (
    <>
      <div class="row">
        <button
          type="button"
          class="primary"
          onClick={() =>
            openDialog(
              words.create,
              () => <NewAccount />,
              () => setTurn((before) => before + 1),
            )
          }
        >
          {words.create}
        </button>
        <button type="button" onClick={() => openDialog(words.invite, () => <Invite />)}>
          {words.invite}
        </button>
        <a href="/settings/bots">{laterStrings.settings.bots}</a>
      </div>
      <Search label={words.search} onSearch={setQ} />
      <Pages read={read} input={`${turn} ${q}`} none={words.none}>
        {(list, replace) =>
          list.map((user) => <PersonItem key={idOf(user)} user={user} onChange={(changed) => replace(user, changed)} />)
        }
      </Pages>
    </>
  );
}

type PersonItemProps = { user: User; onChange: (changed: User | undefined) => void };

function PersonItem({ user, onChange }: PersonItemProps) {
  const words = laterStrings.admin.people;
  const tags = [
    idOf(user) === idOf(me()) && words.you,
    user.is_admin && words.administrator,
    !user.is_active && words.inactive,
  ].filter((tag) => typeof tag === 'string');
  const head = (
    <>
      <Avatar person={user} id={idOf(user)} />
      <div class="body">
        <PersonNames person={user} />
        {tags.map((tag) => (
          <small key={tag} class="tag">
            {tag}
          </small>
        ))}
        <p class="muted">
          <bdi>{user.email}</bdi>
        </p>
      </div>
    </>
  );
  return (
    <Managed head={head} name={safeName(nameOf(user))}>
      {() => <PersonPanel user={user} onChange={onChange} />}
    </Managed>
  );
}

// That of a sign-up, whose code is not loaded here: a file for both would make the first load longer, which lists all files.
const usernamePattern = '\\s*@?[A-Za-z0-9]([A-Za-z0-9._\\-]*[A-Za-z0-9_\\-])?\\s*';

/** Makes an account whose owner sets the password by a link: nobody else ever knows it. */
function NewAccount() {
  const words = laterStrings.admin.people;
  const [isAdmin, setAdmin] = useState(false);
  const [made, setMade] = useState<Link>();
  const create = async ({ username = '', name = '', email = '' }: Record<string, string>) => {
    const body = { username, name: name.trim(), email, password: randomKey(), is_admin: isAdmin };
    const { user } = await ask(chat.POST('/api/users', { body }));
    // A sign-up begins a session, which is nobody's here.
    await ask(chat.DELETE('/api/sessions', { params: { query: { user: idOf(user) } } }));
    setMade(await makeLink(idOf(user)));
  };
  if (made) return <ShownLink {...made} />;
  return (
    <Form onSubmit={create} submit={laterStrings.signUp.submit}>
      <Field
        label={laterStrings.signUp.username}
        name="username"
        autocomplete="off"
        hint={laterStrings.signUp.usernameHint}
        maxLength={64}
        pattern={usernamePattern}
        fault={strings.faults.username}
        autoFocus
      />
      <Field
        label={laterStrings.settings.name}
        name="name"
        autocomplete="off"
        required={false}
        maxLength={128}
        autocapitalize="words"
      />
      <Field label={laterStrings.signUp.email} name="email" type="email" autocomplete="off" hint={words.createHint} />
      <Check label={words.isAdmin} isChecked={isAdmin} onChange={setAdmin} />
    </Form>
  );
}

/** How long a link is good for that invites to a room, in days. */
const days = 7;

/** Invites people by a link to one of the administrator's rooms. */
function Invite() {
  const words = laterStrings.admin.people;
  const [made, setMade] = useState<{ link: string; sentTo: string }>();
  const own = (rooms.value ?? []).filter(({ isDirect, role }) => !isDirect && role !== 'member');
  if (own.length === 0) return <p>{words.inviteNone}</p>;
  const make = async ({ room = '', email = '' }: Record<string, string>) => {
    const body = { expires_at: new Date(Date.now() + days * 86_400_000).toISOString(), ...(email !== '' && { email }) };
    const { code } = await ask(chat.POST('/api/rooms/{room}/invitations', { params: { path: { room } }, body }));
    setMade({ link: `${location.origin}/join#${code}`, sentTo: email });
  };
  return (
    <div class="stack-wide">
      <p class="muted">{words.inviteHint(days)}</p>
      {made && (
        <ShownOnce values={[[laterStrings.invitations.link, made.link]]}>
          <SentTo address={made.sentTo} />
        </ShownOnce>
      )}
      <Form onSubmit={make} submit={laterStrings.invitations.create}>
        <label class="field">
          {words.inviteTo}
          <select name="room">
            {own.map(({ id, name }) => (
              <option key={id} value={id}>
                {safeName(name)}
              </option>
            ))}
          </select>
        </label>
        <InvitedAddress key={made?.link} />
      </Form>
    </div>
  );
}
