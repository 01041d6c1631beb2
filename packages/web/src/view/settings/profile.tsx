import { useState } from 'preact/hooks';
import { changeMe, type OwnChanges } from '../../account/own-account.ts';
import { me } from '../../account/session.ts';
import { notice } from '../../device/announcer.tsx';
import { go } from '../../device/routes.ts';
import { laterStrings } from '../../i18n/strings-later.ts';
import { ask, chat } from '../../service/api.ts';
import { settings } from '../../service/settings.ts';
import { isPresenceTold } from '../../store/people/presence.ts';
import { signOut } from '../../sync/start.ts';
import { MyPicture } from '../people/picture-form.tsx';
import { attempt, Check, Field, Form } from '../shared/controls.tsx';
import { confirmed } from '../shared/dialog.tsx';
import { Blocked } from './blocked.tsx';
import { ConnectWithProvider } from './connect.tsx';
import { CurrentPassword, proofOf } from './current-password.tsx';
import { OwnData } from './own-data.tsx';
import { Section } from './section.tsx';

/** The user, and the account. */
export function Profile() {
  const [turn, setTurn] = useState(0);
  const change = async (body: OwnChanges) => {
    await changeMe(body);
    notice(laterStrings.settings.changed);
    setTurn(turn + 1);
  };
  const remove = async ({ password = '' }: Record<string, string>) => {
    if (!(await confirmed(laterStrings.settings.removeAsk, laterStrings.settings.remove, { isDangerous: true }))) return;
    await ask(chat.DELETE('/api/users/{user}', { params: { path: { user: 'me' } }, body: proofOf(password) }));
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
      {/* Known later than the rest, so it is below the first ones. */}
      {isPresenceTold.value && (
        <Section title={laterStrings.settings.presence} hint={laterStrings.settings.presenceHint}>
          <Check
            label={laterStrings.settings.showPresence}
            isChecked={me().shows_presence}
            onChange={(shows_presence) => attempt(() => change({ shows_presence }))}
          />
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

/** A new address: where addresses are confirmed, a code is sent to it first. */
function Address({ change }: { change: (body: OwnChanges) => Promise<void> }) {
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
