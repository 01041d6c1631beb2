import { useEffect, useState } from 'preact/hooks';
import { forgetInvitation, keepInvitation, keptInvitation } from '../../account/invitation.ts';
import { arePasskeysUsed } from '../../account/passkeys.ts';
import { isSetUp, session } from '../../account/session.ts';
import { type Credentials, logIn, signUp } from '../../account/sign-in.ts';
import { go, route } from '../../device/routes.ts';
import { laterStrings } from '../../i18n/strings-later.ts';
import { Failure } from '../../service/api.ts';
import { settings } from '../../service/settings.ts';
import { nameOf } from '../../store/people/names.ts';
import { abandonAccount } from '../../sync/start.ts';
import { safeName } from '../../text/names.ts';
import { Field, Form } from '../shared/controls.tsx';
import { confirmed } from '../shared/dialog.tsx';
import { later } from '../shared/later.tsx';
import { AccountForm, enter } from './account-fields.tsx';
import { useInvitation } from './join.tsx';
import { FinishSignIn, SignInByProvider } from './oidc.tsx';
import { AskForCode, codeInAddress, ForgottenPassword } from './password.tsx';
import { SetUp } from './setup.tsx';
import './login.css';

const PasskeyButton = later(async () => (await import('./passkey-button.tsx')).PasskeyButton);
const SecondStep = later(async () => (await import('./second-step.tsx')).SecondStep);

/** Signing in, and signing up. */
export function Login() {
  const { value } = session;
  const [hasAccount, setHasAccount] = useState(false);
  const isAgain = value.state === 'expired';
  const followed = route.value.name === 'join' ? route.value.code : undefined;
  useEffect(() => {
    if (followed) keepInvitation(followed);
  }, [followed]);
  const isNew = route.value.name === 'signup' || (followed !== undefined && !hasAccount);
  const takesPasswords = settings.takesPasswords !== false;
  const isSignUp = isNew && settings.registration !== 'closed' && !isAgain && takesPasswords;
  return (
    <main class="login">
      <p class="brand">
        <img src="/icon.svg" alt="" width="40" height="40" />
        <bdi>{settings.name}</bdi>
      </p>
      <div class="card">
        {route.value.name === 'oidc' ? (
          <FinishSignIn />
        ) : !isSetUp.value && (route.value.name === 'home' || route.value.name === 'setup') ? (
          <SetUp />
        ) : route.value.name === 'password' && (takesPasswords || location.hash.length > 1) ? (
          <ForgottenPassword />
        ) : isSignUp ? (
          <SignUp followed={followed} onHasAccount={() => setHasAccount(true)} />
        ) : (
          <SignIn again={value.state === 'expired' ? value.user.username : undefined} />
        )}
      </div>
    </main>
  );
}

function SignIn({ again }: { again: string | undefined }) {
  const [known, setKnown] = useState<Credentials>();
  const submit = async ({ username = '', password = '' }: Record<string, string>) => {
    try {
      await logIn({ username, password });
    } catch (failure) {
      if (!(failure instanceof Failure && failure.status === 401)) throw failure;
      if (failure.code !== 'second_factor_required') throw new Failure(401, laterStrings.login.wrong);
      return setKnown({ username, password });
    }
    goOn();
  };
  const other = async () => {
    if (await confirmed(laterStrings.login.otherAsk, laterStrings.login.other, { isDangerous: true })) await abandonAccount();
  };
  if (known) return <SecondStep credentials={known} onSignedIn={goOn} onBack={() => setKnown(undefined)} />;
  return (
    <>
      <h1>{laterStrings.login.title}</h1>
      {again !== undefined && <p>{laterStrings.login.again}</p>}
      {settings.takesPasswords !== false && (
        <>
          <Form onSubmit={submit} submit={laterStrings.login.title}>
            <Field
              label={laterStrings.login.username}
              name="username"
              autocomplete={arePasskeysUsed() ? 'username webauthn' : 'username'}
              autoFocus
              {...(again !== undefined && { value: again })}
            />
            <Field label={laterStrings.login.password} name="password" type="password" autocomplete="current-password" />
          </Form>
          <a href="/password">{laterStrings.password.forgotten}</a>
        </>
      )}
      <SignInByProvider />
      {arePasskeysUsed() && <PasskeyButton onSignedIn={goOn} isSuggested username={again} />}
      {again !== undefined ? (
        <button type="button" class="link" onClick={() => void other()}>
          {laterStrings.login.other}
        </button>
      ) : settings.takesPasswords === false ? null : settings.registration !== 'closed' ? (
        <a href="/signup">{laterStrings.login.toSignUp}</a>
      ) : (
        <p class="muted">{laterStrings.signUp.closed}</p>
      )}
    </>
  );
}

function goOn(): void {
  const invitation = keptInvitation();
  if (['login', 'signup', 'setup'].includes(route.value.name)) go(invitation ? `/join#${invitation}` : '/', { replace: true });
}

type SignUpProps = { followed: string | undefined; onHasAccount: () => void };

function SignUp({ followed, onHasAccount }: SignUpProps) {
  const [invitation] = useState(followed ?? keptInvitation());
  const { target, isOver, reload } = useInvitation(invitation);
  const isInvited = invitation !== undefined && !isOver;
  const confirmation = codeInAddress();
  if (settings.emailConfirmation === 'required' && !confirmation) return <AskForCode purpose="address" />;
  const submit = async ({ username = '', name = '', email = '', password = '', code = '' }: Record<string, string>) => {
    // People may paste the whole link into the field.
    const used = isInvited ? invitation : code.replace(/^.*#/, '');
    const proof = confirmation && { code: confirmation.code };
    try {
      await signUp({ username, name, email, password, ...(used !== '' && { invitation: used }), ...proof });
    } catch (failure) {
      // After an expired link, the visitor can continue without it.
      if (failure instanceof Failure && failure.message === 'No such invitation.') reload();
      throw failure;
    }
    forgetInvitation();
    await enter(target?.room.$oid);
  };
  return (
    <>
      <h1>{laterStrings.login.toSignUp}</h1>
      {isInvited && <p>{target ? laterStrings.join.to(nameOf(target), safeName(target.room_name)) : laterStrings.join.signUp}</p>}
      {isOver && <p class="problem">{laterStrings.join.over}</p>}
      <AccountForm onSubmit={submit} submit={laterStrings.setup.submit} email={confirmation?.email}>
        {settings.registration === 'invited' && !isInvited && (
          <Field
            label={laterStrings.signUp.invitation}
            name="code"
            hint={laterStrings.signUp.invitationHint}
            autocomplete="off"
          />
        )}
      </AccountForm>
      <SignInByProvider />
      {followed === undefined ? (
        <a href="/login">{laterStrings.signUp.toLogin}</a>
      ) : (
        <button type="button" class="link" onClick={onHasAccount}>
          {laterStrings.signUp.toLogin}
        </button>
      )}
    </>
  );
}
