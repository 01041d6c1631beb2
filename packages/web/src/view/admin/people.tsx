import { useState } from 'preact/hooks';
import { me } from '../../account/session.ts';
import { strings } from '../../i18n/strings.ts';
import { laterStrings } from '../../i18n/strings-later.ts';
import { ask, chat, randomKey, type User } from '../../service/api.ts';
import { idOf } from '../../service/ids.ts';
import { nameOf } from '../../store/people/names.ts';
import { type Page, readPage } from '../../store/read-page.ts';
import { safeName } from '../../text/names.ts';
import { openInvite } from '../inviting/open-invite.tsx';
import { Avatar } from '../people/avatar.tsx';
import { Check, Field, Form, PersonNames } from '../shared/controls.tsx';
import { openDialog } from '../shared/dialog.tsx';
import { Pages } from '../shared/pages.tsx';
import { type Link, makeLink, ShownLink } from './link.tsx';
import { Managed, Search, Tags } from './list.tsx';
import { PersonPanel } from './person.tsx';

/** The accounts of the service. */
export function People() {
  const [q, setQ] = useState('');
  const [turn, setTurn] = useState(0);
  const words = laterStrings.admin.people;
  const read = (after?: string) => readPage('/api/users', { q: q || undefined }, after) as Promise<Page<User>>;
  return (
    <>
      <div class="row middle">
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
        <button type="button" onClick={() => void openInvite()}>
          {strings.rooms.invite}
        </button>
        <a class="button" href="/settings/bots">
          {laterStrings.settings.bots}
        </a>
      </div>
      <Search label={words.search} onSearch={setQ} />
      <Pages read={read} input={q} turn={turn} none={laterStrings.lists.noMatches}>
        {(list, replace) => (
          <ul class="listed">
            {list.map((user) => (
              <PersonItem key={idOf(user)} user={user} onChange={(changed) => replace(user, changed)} />
            ))}
          </ul>
        )}
      </Pages>
    </>
  );
}

type PersonItemProps = { user: User; onChange: (changed: User | undefined) => void };

function PersonItem({ user, onChange }: PersonItemProps) {
  const words = laterStrings.admin.people;
  const tags = [idOf(user) === idOf(me()) && words.you, user.is_admin && words.administrator, !user.is_active && words.inactive];
  const head = (
    <>
      <Avatar person={user} id={idOf(user)} />
      <div class="body">
        <PersonNames person={user} />
        <Tags of={tags} />
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

// The pattern of a sign-up. It is copied, because a shared file would lengthen the list of files in
// the first load.
const usernamePattern = '\\s*@?[A-Za-z0-9]([A-Za-z0-9._\\-]*[A-Za-z0-9_\\-])?\\s*';

/** Creates an account whose owner sets the password with a link, so that nobody else knows it. */
function NewAccount() {
  const words = laterStrings.admin.people;
  const [isAdmin, setAdmin] = useState(false);
  const [made, setMade] = useState<Link>();
  const create = async ({ username = '', name = '', email = '' }: Record<string, string>) => {
    const body = { username, name: name.trim(), email, password: randomKey(), is_admin: isAdmin };
    const { user } = await ask(chat.POST('/api/users', { body }));
    // A sign-up starts a session, which nobody needs here.
    await ask(chat.DELETE('/api/sessions', { params: { query: { user: idOf(user) } } }));
    setMade(await makeLink(idOf(user)));
  };
  if (made) return <ShownLink {...made} />;
  return (
    <Form onSubmit={create} submit={laterStrings.setup.submit}>
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
      <Field label={laterStrings.settings.email} name="email" type="email" autocomplete="off" hint={words.createHint} />
      <Check label={words.isAdmin} isChecked={isAdmin} onChange={setAdmin} />
    </Form>
  );
}
