import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { ask, chat, type Session, type Token, type User } from '../api.ts';
import { shortOf } from '../dates.ts';
import { idOf } from '../ids.ts';
import { notifications, setNotifications } from '../notify.ts';
import { go } from '../routes.ts';
import { begin, me } from '../session.ts';
import { settings } from '../settings.ts';
import { signOut } from '../start.ts';
import { strings } from '../strings.ts';
import { chooseTheme, chosenTheme, type Theme } from '../theme.ts';
import { notice } from './announcer.tsx';
import { Blocked } from './blocked.tsx';
import { attempt, BackLink, Check, Field, Form, Loading } from './controls.tsx';
import { confirmed } from './dialog.tsx';
import { openShortcuts } from './keys.tsx';
import { useLoaded } from './use-list.ts';
import './settings.css';

const tabs = { profile: Profile, sessions: Sessions, tokens: Tokens, notifications: Notifications, about: About };

/** The settings of the user, and of this device. */
export function Settings({ tab }: { tab: string }) {
  const shown = Object.hasOwn(tabs, tab) ? (tab as keyof typeof tabs) : 'profile';
  const Shown = tabs[shown];
  return (
    <main class="pane settings">
      <header class="bar">
        <BackLink />
        <h1 class="title">{strings.settings.title}</h1>
      </header>
      <nav class="tabs" aria-label={strings.settings.title}>
        {Object.keys(tabs).map((name) => (
          <a
            key={name}
            ref={name === shown ? showTab : null}
            href={`/settings/${name}`}
            aria-current={name === shown ? 'page' : undefined}
          >
            {name === 'notifications' ? strings.settings.device : strings.settings[name as keyof typeof tabs]}
          </a>
        ))}
      </nav>
      <div class="content">
        <Shown />
      </div>
    </main>
  );
}

const showTab = (tab: Element | null) => tab?.scrollIntoView({ block: 'nearest', inline: 'nearest' });

const Section = ({ title, hint, children }: { title: string; hint?: string; children: ComponentChildren }) => (
  <section class="section">
    <h2>{title}</h2>
    {hint !== undefined && <p class="muted">{hint}</p>}
    {children}
  </section>
);

const mine = { params: { path: { user: 'me' } } };

function Profile() {
  const [turn, setTurn] = useState(0);
  const change = async (body: Changes) => {
    begin((await ask(chat.PATCH('/api/users/{user}', { ...mine, body }))) as User);
    notice(strings.settings.changed);
    setTurn(turn + 1);
  };
  const remove = async ({ password = '' }: Record<string, string>) => {
    if (!(await confirmed(strings.settings.removeAsk, strings.settings.remove))) return;
    await ask(chat.DELETE('/api/users/{user}', { ...mine, body: { current_password: password } }));
    await signOut();
    go('/login', { replace: true });
  };
  return (
    <div key={turn}>
      <Section title={strings.settings.name} hint={strings.settings.nameHint(me().username)}>
        <Form onSubmit={({ name = '' }) => change({ name: name.trim() })} submit={strings.settings.changeName}>
          <Field
            label={strings.settings.name}
            name="name"
            autocomplete="name"
            autocapitalize="words"
            required={false}
            maxLength={128}
            value={me().name ?? ''}
          />
        </Form>
      </Section>
      <Section title={strings.settings.email}>
        <Address change={change} />
      </Section>
      <Section title={strings.settings.changePassword} hint={strings.settings.passwordHint}>
        <Form
          onSubmit={({ current = '', next = '' }) => change({ current_password: current, password: next })}
          submit={strings.settings.changePassword}
        >
          <Field label={strings.settings.currentPassword} name="current" type="password" autocomplete="current-password" />
          <Field label={strings.settings.newPassword} name="next" type="password" autocomplete="new-password" minLength={8} />
        </Form>
      </Section>
      <Section title={strings.blocked.title} hint={strings.blocked.hint}>
        <Blocked />
      </Section>
      <Section title={strings.settings.remove} hint={strings.settings.removeHint}>
        <Form onSubmit={remove} submit={strings.settings.remove} class="danger-form">
          <Field label={strings.settings.currentPassword} name="password" type="password" autocomplete="current-password" />
        </Form>
      </Section>
    </div>
  );
}

type Changes = { name?: string; email?: string; code?: string; password?: string; current_password?: string };

/** A new address: where addresses are confirmed, a code is sent to it first. */
function Address({ change }: { change: (body: Changes) => Promise<void> }) {
  const [asked, setAsked] = useState<string>();
  const isConfirmed = settings.emailConfirmation === 'required' && !me().is_admin;
  const askForCode = async ({ email = '' }: Record<string, string>) => {
    await ask(chat.POST('/api/codes', { body: { email, purpose: 'address' } }));
    setAsked(email);
  };
  if (isConfirmed && asked === undefined)
    return (
      <Form onSubmit={askForCode} submit={strings.settings.askForCode}>
        <Field label={strings.settings.email} name="email" type="email" autocomplete="email" value={me().email} />
      </Form>
    );
  const submit = ({ email = '', code = '', confirm = '' }: Record<string, string>) =>
    change({ email, current_password: confirm, ...(asked !== undefined && { code: code.trim() }) });
  return (
    <Form
      onSubmit={submit}
      submit={strings.settings.changeEmail}
      {...(asked !== undefined && { onCancel: () => setAsked(undefined) })}
    >
      {asked !== undefined && <p role="status">{strings.settings.codeSent}</p>}
      <Field
        key={asked}
        label={strings.settings.email}
        name="email"
        type="email"
        autocomplete="email"
        value={asked ?? me().email}
        readonly={asked !== undefined}
      />
      {asked !== undefined && (
        <Field label={strings.settings.code} name="code" autocomplete="one-time-code" maxLength={40} autoFocus />
      )}
      <Field label={strings.settings.currentPassword} name="confirm" type="password" autocomplete="current-password" />
    </Form>
  );
}

const lastUsed = ({ last_used_at }: Pick<Token, 'last_used_at'>) =>
  last_used_at ? strings.settings.lastUsed(shortOf(new Date(last_used_at.$date))) : strings.settings.neverUsed;

function Sessions() {
  const { value, failure, reload } = useLoaded(() => ask(chat.GET('/api/sessions', { params: { query: { limit: 200 } } })), []);
  if (!value) return <Loading failure={failure} onRetry={reload} />;
  const end = (session: string) =>
    void attempt(() => ask(chat.DELETE('/api/sessions/{session}', { params: { path: { session } } }))).then(reload);
  return (
    <Section title={strings.settings.sessions}>
      <ul class="listed">
        {(value as Session[]).map((session) => (
          <li class="card" key={idOf(session)}>
            <p class="body">
              {session.is_current && <strong>{strings.settings.sessionThis} </strong>}
              {strings.settings.sessionOf(shortOf(new Date(session.created_at.$date)))}
              <span class="muted">
                {' · '}
                {lastUsed(session)} · {strings.settings.tokenEnds(session.hint)}
              </span>
            </p>
            {!session.is_current && (
              <button type="button" onClick={() => end(idOf(session))}>
                {strings.settings.end}
              </button>
            )}
          </li>
        ))}
      </ul>
      <button type="button" onClick={() => void attempt(() => ask(chat.DELETE('/api/sessions'))).then(reload)}>
        {strings.settings.endOthers}
      </button>
    </Section>
  );
}

// All there are, or the types don't match.
const scopes = Object.keys({
  'rooms:read': true,
  'rooms:write': true,
  'members:read': true,
  'members:write': true,
  'messages:read': true,
  'messages:write': true,
  account: true,
  admin: true,
} satisfies Record<Token['scopes'][number], true>) as Token['scopes'];

function Tokens() {
  const [made, setMade] = useState<string>();
  const { value, failure, reload } = useLoaded(() => ask(chat.GET('/api/tokens', { params: { query: { limit: 200 } } })), []);
  if (!value) return <Loading failure={failure} onRetry={reload} />;
  const create = async ({ name = '', current = '', ...chosen }: Record<string, string>) => {
    const some = scopes.filter((scope) => scope in chosen);
    const body = { name, ...(some.length > 0 ? { scopes: some } : { current_password: current }) };
    setMade((await ask(chat.POST('/api/tokens', { body }))).token);
    reload();
  };
  const revoke = async (token: Token) => {
    if (!(await confirmed(strings.settings.revokeAsk(token.name), strings.settings.revoke))) return;
    await attempt(() => ask(chat.DELETE('/api/tokens/{token}', { params: { path: { token: idOf(token) } } })));
    reload();
  };
  return (
    <Section title={strings.settings.tokens} hint={strings.settings.tokensHint}>
      {made !== undefined && (
        <p class="made" role="status">
          {strings.settings.tokenOnce} <code>{made}</code>
        </p>
      )}
      {value.length === 0 && <p class="muted">{strings.settings.tokenNone}</p>}
      <ul class="listed">
        {(value as Token[]).map((token) => (
          <li class="card" key={idOf(token)}>
            <p class="body">
              <bdi>{token.name}</bdi>
              <span class="muted">
                {' '}
                {token.scopes.join(', ') || strings.settings.allScopes} · {lastUsed(token)} ·{' '}
                {strings.settings.tokenEnds(token.hint)}
              </span>
            </p>
            <button type="button" onClick={() => void revoke(token)}>
              {strings.settings.revoke}
            </button>
          </li>
        ))}
      </ul>
      <Form key={made ?? ''} onSubmit={create} submit={strings.settings.tokenCreate}>
        <Field label={strings.settings.tokenName} name="name" maxLength={100} autocomplete="off" />
        <fieldset>
          <legend>{strings.settings.tokenScopes}</legend>
          {scopes.map((scope) => (
            <label class="check" key={scope}>
              <input type="checkbox" name={scope} /> {scope}
            </label>
          ))}
        </fieldset>
        <Field
          label={strings.settings.currentPassword}
          hint={strings.settings.tokenPassword}
          name="current"
          type="password"
          autocomplete="current-password"
          required={false}
        />
      </Form>
    </Section>
  );
}

function Notifications() {
  const [isOn, setOn] = useState(notifications.areOn());
  const [theme, setTheme] = useState(chosenTheme());
  const choose = (chosen: Theme) => {
    chooseTheme(chosen);
    setTheme(chosen);
  };
  return (
    <>
      <Section title={strings.settings.notifications}>
        {notifications.exist ? (
          <Check label={strings.settings.notify} isChecked={isOn} onChange={(on) => setNotifications(on).then(setOn)} />
        ) : (
          <p class="muted">{strings.settings.notifyNone}</p>
        )}
        {isOn && (
          <fieldset>
            <legend class="visually-hidden">{strings.settings.notifications}</legend>
            {(['mine', 'all'] as const).map((policy) => (
              <label class="check" key={policy}>
                <input
                  type="radio"
                  name="policy"
                  defaultChecked={notifications.policy() === policy}
                  onChange={() => notifications.setPolicy(policy)}
                />{' '}
                {strings.settings.notifyOf[policy]}
              </label>
            ))}
          </fieldset>
        )}
        {notifications.areBlocked() && <p class="muted">{strings.settings.notifyBlocked}</p>}
      </Section>
      <Section title={strings.settings.theme}>
        <fieldset>
          <legend class="visually-hidden">{strings.settings.theme}</legend>
          {(['system', 'light', 'dark'] as const).map((name) => (
            <label class="check" key={name}>
              <input type="radio" name="theme" checked={theme === name} onChange={() => choose(name)} />{' '}
              {strings.settings.themes[name]}
            </label>
          ))}
        </fieldset>
      </Section>
    </>
  );
}

function About() {
  return (
    <Section title={settings.name}>
      <p>{strings.settings.version(settings.version)}</p>
      <p>
        <a href={settings.docs} target="_blank" rel="noreferrer">
          {strings.settings.api}
        </a>
      </p>
      <button type="button" onClick={openShortcuts}>
        {strings.settings.docs}
      </button>
    </Section>
  );
}
