import type { QuietHours } from 'chat-service-rules/quiet-hours';
import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { chooseLanguage, chosenLanguage, language } from '../../account/language.ts';
import { begin, me } from '../../account/session.ts';
import { notice } from '../../device/announcer.tsx';
import { go } from '../../device/routes.ts';
import { chooseTheme, chosenTheme, type Theme } from '../../device/theme.ts';
import { inAnHour, shortOf, tomorrowAt } from '../../i18n/dates.ts';
import type { Language } from '../../i18n/languages.ts';
import { laterStrings } from '../../i18n/strings-later.ts';
import { notifications, quietUntil, setNotifications, setPolicy } from '../../notify/notify.ts';
import { isPushed, pushLimits, subscribe, tellLanguage } from '../../notify/push.ts';
import { ask, chat, Failure, type Session, type Token, type User } from '../../service/api.ts';
import { idOf } from '../../service/ids.ts';
import { settings } from '../../service/settings.ts';
import { isPresenceTold } from '../../store/people/presence.ts';
import { signOut } from '../../sync/start.ts';
import { MyPicture } from '../people/picture-form.tsx';
import { attempt, BackLink, Check, Field, Form, Loading } from '../shared/controls.tsx';
import { confirmed } from '../shared/dialog.tsx';
import { later } from '../shared/later.tsx';
import { useLoaded } from '../shared/use-list.ts';
import { openShortcuts } from '../sidebar/keys.tsx';
import { ConnectAgent } from './agents.tsx';
import { Blocked } from './blocked.tsx';
import { ConnectWithProvider } from './connect.tsx';
import { CurrentPassword, proofOf } from './current-password.tsx';
import { OwnData } from './own-data.tsx';
import { revokeToken, ScopeChoice } from './token-parts.tsx';
import './settings.css';

const Bots = later(async () => (await import('./bots.tsx')).Bots);
const SecondFactor = later(async () => (await import('./second-factor.tsx')).SecondFactor);
const Passkeys = later(async () => (await import('./passkeys.tsx')).Passkeys);

const tabs = {
  profile: Profile,
  security: Security,
  passkeys: PasskeySettings,
  sessions: Sessions,
  tokens: Tokens,
  bots: OwnBots,
  notifications: Notifications,
  about: About,
};

/** The settings of the user, and of this device. */
export function Settings({ tab }: { tab: string }) {
  const shown = Object.hasOwn(tabs, tab) ? (tab as keyof typeof tabs) : 'profile';
  const Shown = tabs[shown];
  return (
    <main class="pane settings">
      <header class="bar">
        <BackLink />
        <h1 class="title">{laterStrings.settings.title}</h1>
      </header>
      <nav class="tabs" aria-label={laterStrings.settings.title}>
        {Object.keys(tabs).map((name) => (
          <a
            key={name}
            ref={name === shown ? showTab : null}
            href={`/settings/${name}`}
            aria-current={name === shown ? 'page' : undefined}
          >
            {name === 'notifications' ? laterStrings.settings.device : laterStrings.settings[name as keyof typeof tabs]}
          </a>
        ))}
        {me().is_admin && <a href="/admin">{laterStrings.admin.title}</a>}
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
    notice(laterStrings.settings.changed);
    setTurn(turn + 1);
  };
  const remove = async ({ password = '' }: Record<string, string>) => {
    if (!(await confirmed(laterStrings.settings.removeAsk, laterStrings.settings.remove, { isDangerous: true }))) return;
    await ask(chat.DELETE('/api/users/{user}', { ...mine, body: proofOf(password) }));
    await signOut();
    go('/login', { replace: true });
  };
  return (
    <div key={turn}>
      <Section title={laterStrings.settings.name} hint={laterStrings.settings.nameHint(me().username)}>
        <Form onSubmit={({ name = '' }) => change({ name: name.trim() })} submit={laterStrings.settings.changeName}>
          <Field
            label={laterStrings.settings.name}
            name="name"
            autocomplete="name"
            autocapitalize="words"
            required={false}
            maxLength={128}
            value={me().name ?? ''}
          />
        </Form>
      </Section>
      <Section title={laterStrings.settings.picture} hint={laterStrings.settings.pictureHint}>
        <MyPicture />
      </Section>
      {isPresenceTold.value && (
        <Section title={laterStrings.settings.presence} hint={laterStrings.settings.presenceHint}>
          <Check
            label={laterStrings.settings.showPresence}
            isChecked={me().shows_presence}
            onChange={(shows_presence) => attempt(() => change({ shows_presence }))}
          />
        </Section>
      )}
      <Section title={laterStrings.settings.email}>
        <Address change={change} />
      </Section>
      <Section title={laterStrings.settings.changePassword} hint={laterStrings.settings.passwordHint}>
        <Form
          onSubmit={({ current = '', next = '' }) => change({ ...proofOf(current), password: next })}
          submit={laterStrings.settings.changePassword}
        >
          <CurrentPassword name="current" />
          <Field
            label={laterStrings.settings.newPassword}
            name="next"
            type="password"
            autocomplete="new-password"
            minLength={8}
          />
        </Form>
      </Section>
      {settings.oidc !== undefined && (
        <Section title={settings.oidc.map(({ name }) => name).join(', ')}>
          <ConnectWithProvider />
        </Section>
      )}
      <Section title={laterStrings.blocked.title} hint={laterStrings.blocked.hint}>
        <Blocked />
      </Section>
      <Section title={laterStrings.ownData.title} hint={laterStrings.ownData.hint}>
        <OwnData />
      </Section>
      <Section title={laterStrings.settings.remove} hint={laterStrings.settings.removeHint}>
        <Form onSubmit={remove} submit={laterStrings.settings.remove} class="danger-form">
          <CurrentPassword name="password" />
        </Form>
      </Section>
    </div>
  );
}

function Security() {
  return (
    <Section title={laterStrings.settings.security} hint={laterStrings.secondFactor.hint}>
      <SecondFactor />
    </Section>
  );
}

function PasskeySettings() {
  return (
    <Section title={laterStrings.settings.passkeys} hint={laterStrings.passkeys.hint}>
      <Passkeys />
    </Section>
  );
}

type Changes = {
  name?: string;
  shows_presence?: boolean;
  email?: string;
  code?: string;
  password?: string;
  current_password?: string;
};

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
      <Form onSubmit={askForCode} submit={laterStrings.settings.askForCode}>
        <Field label={laterStrings.settings.email} name="email" type="email" autocomplete="email" value={me().email ?? ''} />
      </Form>
    );
  const submit = ({ email = '', code = '', confirm = '' }: Record<string, string>) =>
    change({ email, ...proofOf(confirm), ...(asked !== undefined && { code: code.trim() }) });
  return (
    <Form
      onSubmit={submit}
      submit={laterStrings.settings.changeEmail}
      {...(asked !== undefined && { onCancel: () => setAsked(undefined) })}
    >
      {asked !== undefined && <p role="status">{laterStrings.settings.codeSent}</p>}
      <Field
        key={asked}
        label={laterStrings.settings.email}
        name="email"
        type="email"
        autocomplete="email"
        value={asked ?? me().email ?? ''}
        readonly={asked !== undefined}
      />
      {asked !== undefined && (
        <Field label={laterStrings.settings.code} name="code" autocomplete="one-time-code" maxLength={40} autoFocus />
      )}
      <CurrentPassword name="confirm" />
    </Form>
  );
}

const lastUsed = ({ last_used_at }: Pick<Token, 'last_used_at'>) =>
  last_used_at ? laterStrings.settings.lastUsed(shortOf(new Date(last_used_at.$date))) : laterStrings.settings.neverUsed;

function Sessions() {
  const [isRevoking, setRevoking] = useState(false);
  const { value, failure, reload } = useLoaded(() => ask(chat.GET('/api/sessions', { params: { query: { limit: 200 } } })), []);
  if (!value) return <Loading failure={failure} onRetry={reload} />;
  const endOthers = () => {
    const query = isRevoking ? { tokens_since: new Date(oldest).toISOString() } : {};
    void attempt(() => ask(chat.DELETE('/api/sessions', { params: { query } }))).then(reload);
  };
  const oldest = Math.min(...value.map(({ created_at }) => created_at.$date).map((at) => new Date(at).getTime()));
  const end = (session: string) =>
    void attempt(() => ask(chat.DELETE('/api/sessions/{session}', { params: { path: { session } } }))).then(reload);
  return (
    <Section title={laterStrings.settings.sessions}>
      <ul class="listed">
        {(value as Session[]).map((session) => (
          <li class="card" key={idOf(session)}>
            <p class="body">
              {session.is_current && <strong>{laterStrings.settings.sessionThis} · </strong>}
              {laterStrings.settings.sessionOf(shortOf(new Date(session.created_at.$date)))}
              <span class="muted">
                {' · '}
                {lastUsed(session)} · {laterStrings.settings.tokenEnds(session.hint)}
              </span>
            </p>
            {!session.is_current && (
              <button type="button" onClick={() => end(idOf(session))}>
                {laterStrings.settings.end}
              </button>
            )}
          </li>
        ))}
      </ul>
      <Check label={laterStrings.settings.revokeSince(shortOf(new Date(oldest)))} isChecked={isRevoking} onChange={setRevoking} />
      <button type="button" onClick={endOthers}>
        {laterStrings.settings.endOthers}
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
    const body = { name, ...(some.length > 0 && { scopes: some }), ...proofOf(current) };
    setMade((await ask(chat.POST('/api/tokens', { body }))).token);
    reload();
  };
  const revoke = async (token: Token) => {
    if (await revokeToken(token)) reload();
  };
  return (
    <Section title={laterStrings.settings.tokens} hint={laterStrings.settings.tokensHint}>
      {made !== undefined && (
        <p class="made" role="status">
          {laterStrings.settings.tokenOnce} <code>{made}</code>
        </p>
      )}
      {value.length === 0 && <p class="muted">{laterStrings.settings.tokenNone}</p>}
      <ul class="listed">
        {(value as Token[]).map((token) => (
          <li class="card" key={idOf(token)}>
            <p class="body">
              <bdi>{token.name}</bdi>
              <span class="muted">
                {' '}
                {token.scopes.join(', ') || laterStrings.settings.allScopes} · {lastUsed(token)} ·{' '}
                {laterStrings.settings.tokenEnds(token.hint)}
              </span>
            </p>
            <button type="button" onClick={() => void revoke(token)}>
              {laterStrings.settings.revoke}
            </button>
          </li>
        ))}
      </ul>
      <Form key={made ?? ''} onSubmit={create} submit={laterStrings.settings.tokenCreate}>
        <Field label={laterStrings.settings.tokenName} name="name" maxLength={100} autocomplete="off" />
        <ScopeChoice legend={laterStrings.settings.tokenScopes} scopes={scopes} />
        <Field
          label={laterStrings.settings.currentPassword}
          hint={laterStrings.settings.tokenPassword}
          name="current"
          type="password"
          autocomplete="current-password"
          required={false}
        />
      </Form>
      <ConnectAgent onMade={reload} />
    </Section>
  );
}

function OwnBots() {
  return (
    <Section title={laterStrings.settings.bots} hint={laterStrings.bots.hint}>
      <Bots />
    </Section>
  );
}

function Notifications() {
  const [theme, setTheme] = useState(chosenTheme());
  const choose = (chosen: Theme) => {
    chooseTheme(chosen);
    setTheme(chosen);
  };
  return (
    <>
      <Section title={laterStrings.settings.notifications}>
        <Notifying />
        <HiddenTexts />
        {settings.sendsEmail && (settings.emailConfirmation === 'required' || me().is_connected) && <EmailDigest />}
      </Section>
      <Section title={laterStrings.settings.quiet} hint={laterStrings.settings.quietHint}>
        <Quiet />
      </Section>
      <Section title={laterStrings.settings.quietHours} hint={laterStrings.settings.quietHoursHint}>
        <DailyQuiet />
      </Section>
      <Section title={laterStrings.settings.theme}>
        <fieldset>
          <legend class="visually-hidden">{laterStrings.settings.theme}</legend>
          {(['system', 'light', 'dark'] as const).map((name) => (
            <label class="check" key={name}>
              <input type="radio" name="theme" checked={theme === name} onChange={() => choose(name)} />{' '}
              {laterStrings.settings.themes[name]}
            </label>
          ))}
        </fieldset>
      </Section>
      {settings.languages.length > 1 && (
        <Section title={laterStrings.settings.language}>
          <Languages />
        </Section>
      )}
    </>
  );
}

/** Whether the page is about to be drawn again in a language that was chosen here: the choice gets the focus back. */
let isDrawnAgain = false;

/** In which language this browser shows the page; each calls itself by its own name. */
function Languages() {
  const box = useRef<HTMLFieldSetElement>(null);
  const ownNow = () => settings.languages.find((name) => name === chosenLanguage());
  const [own, setOwn] = useState(ownNow());
  useLayoutEffect(() => {
    if (isDrawnAgain) box.current?.querySelector<HTMLElement>(':checked')?.focus();
    isDrawnAgain = false;
  }, []);
  const choose = async (name: Language | undefined) => {
    const before = language.value;
    isDrawnAgain = true;
    setOwn(name);
    await attempt(() => chooseLanguage(name));
    if (language.value === before) isDrawnAgain = false;
    setOwn(ownNow());
    if (isPushed()) await tellLanguage();
  };
  return (
    <fieldset ref={box}>
      <legend class="visually-hidden">{laterStrings.settings.language}</legend>
      {[undefined, ...settings.languages].map((name) => (
        <label class="check" key={name}>
          <input type="radio" name="language" checked={own === name} onChange={() => void choose(name)} />{' '}
          {name === undefined ? (
            laterStrings.settings.languageOfBrowser
          ) : (
            <bdi lang={name}>{new Intl.DisplayNames([name], { type: 'language' }).of(name)}</bdi>
          )}
        </label>
      ))}
    </fieldset>
  );
}

/** Whether and of what this device notifies, and what is wrong where it stays silent. */
function Notifying() {
  const [isOn, setOn] = useState(notifications.areOn());
  const [isTold, setTold] = useState(isPushed());
  const [failure, setFailure] = useState<string>();
  const trying = async (change: () => Promise<unknown>) => {
    setFailure(undefined);
    try {
      await change();
    } catch (error) {
      setFailure(error instanceof Failure ? error.message : '');
    }
    setOn(notifications.areOn());
    setTold(isPushed());
  };
  const test = () =>
    trying(async () => {
      if (await subscribe(notifications.policy(), { isTest: true })) notice(laterStrings.settings.notifySent);
    });
  if (pushLimits.needsHomeScreen()) return <p class="muted">{laterStrings.settings.notifyHomeScreen}</p>;
  if (!notifications.exist) return <p class="muted">{laterStrings.settings.notifyNone}</p>;
  return (
    <>
      <Check label={laterStrings.settings.notify} isChecked={isOn} onChange={(on) => trying(() => setNotifications(on))} />
      {isOn && (
        <fieldset>
          <legend class="visually-hidden">{laterStrings.settings.notifications}</legend>
          {(['mine', 'all'] as const).map((policy) => (
            <label class="check" key={policy}>
              <input
                type="radio"
                name="policy"
                defaultChecked={notifications.policy() === policy}
                onChange={() => void trying(() => setPolicy(policy))}
              />{' '}
              {laterStrings.settings.notifyOf[policy]}
            </label>
          ))}
        </fieldset>
      )}
      {isOn && isTold && (
        <button type="button" onClick={() => void test()}>
          {laterStrings.settings.notifyTest}
        </button>
      )}
      {isOn && !isTold && failure === undefined && <p class="muted">{laterStrings.settings.notifyOpenOnly}</p>}
      {failure !== undefined && (
        <p class="muted" role="alert">
          {laterStrings.settings.notifyFailed(failure)}
        </p>
      )}
      {notifications.areBlocked() && <p class="muted">{laterStrings.settings.notifyBlocked}</p>}
    </>
  );
}

/** When a pause of notifications may end that begins now. */
const pauses = {
  hour: inAnHour,
  evening: () => tomorrowAt(0),
  tomorrow: () => tomorrowAt(8),
};

const changeNotified = async (body: {
  quiet_until?: { $date: string } | null;
  hides_push_text?: boolean;
  email_digest?: boolean;
  quiet_hours?: QuietHours | null;
}) => begin((await ask(chat.PATCH('/api/users/{user}', { ...mine, body }))) as User);

/** Notifications can leave out what was said, on all devices. */
const HiddenTexts = () => (
  <Check
    label={laterStrings.settings.hidePushText}
    isChecked={me().hides_push_text === true}
    onChange={(hides_push_text) => attempt(() => changeNotified({ hides_push_text }))}
  />
);

/** An e-mail tells of what is unread after a day away. */
const EmailDigest = () => (
  <Check
    label={laterStrings.settings.emailDigest}
    isChecked={me().email_digest !== false}
    onChange={(email_digest) => attempt(() => changeNotified({ email_digest }))}
  />
);

/** Notifications can be paused for a while, on all devices. */
function Quiet() {
  const [end, setEnd] = useState(quietUntil());
  const pause = (until: Date | null) =>
    attempt(async () => {
      await changeNotified({ quiet_until: until && { $date: until.toISOString() } });
      setEnd(quietUntil());
    });
  return (
    <>
      {end && <p role="status">{laterStrings.settings.quietUntil(shortOf(end))}</p>}
      <div class="row">
        {(['hour', 'evening', 'tomorrow'] as const).map((how) => (
          <button type="button" key={how} onClick={() => void pause(pauses[how]())}>
            {laterStrings.settings.quietFor[how]}
          </button>
        ))}
        {end && (
          <button type="button" class="primary" onClick={() => void pause(null)}>
            {laterStrings.settings.quietEnd}
          </button>
        )}
      </div>
    </>
  );
}

/** Notifications can be left out in some hours of each day, on all devices. */
function DailyQuiet() {
  const [hours, setHours] = useState(me().quiet_hours);
  const change = async (quiet_hours: QuietHours | null) => {
    await changeNotified({ quiet_hours });
    setHours(me().quiet_hours);
  };
  const save = ({ from = '', to = '' }: Record<string, string>) =>
    change({ from, to, time_zone: Intl.DateTimeFormat().resolvedOptions().timeZone });
  return (
    <>
      {hours && <p role="status">{laterStrings.settings.quietDaily(hours.from, hours.to, hours.time_zone)}</p>}
      <Form onSubmit={save} submit={laterStrings.settings.quietSet}>
        <Field label={laterStrings.settings.quietFrom} name="from" type="time" value={hours?.from ?? '22:00'} />
        <Field label={laterStrings.settings.quietTo} name="to" type="time" value={hours?.to ?? '07:00'} />
      </Form>
      {hours && (
        <button type="button" onClick={() => void attempt(() => change(null))}>
          {laterStrings.settings.quietNone}
        </button>
      )}
    </>
  );
}

function About() {
  return (
    <Section title={settings.name}>
      <p>{laterStrings.settings.version(settings.version)}</p>
      <p>
        <a href={settings.docs} target="_blank" rel="noreferrer">
          {laterStrings.settings.api}
        </a>
      </p>
      <button type="button" onClick={openShortcuts}>
        {laterStrings.settings.docs}
      </button>
    </Section>
  );
}
