import { Failure } from '../api.ts';
import { go, route } from '../routes.ts';
import { logIn, session, signUp } from '../session.ts';
import { settings } from '../settings.ts';
import { abandonAccount } from '../start.ts';
import { strings } from '../strings.ts';
import { Field, Form } from './controls.tsx';
import { confirmed } from './dialog.tsx';
import { AskForCode, codeInAddress, ForgottenPassword } from './password.tsx';

/** Signing in, and signing up. */
export function Login() {
  const { value } = session;
  const isAgain = value.state === 'expired';
  const isSignUp = route.value.name === 'signup' && settings.registration !== 'closed' && !isAgain;
  return (
    <main class="login">
      <div class="card">
        <p class="brand">
          <img src="/icon.svg" alt="" width="40" height="40" />
          <bdi>{settings.name}</bdi>
        </p>
        {route.value.name === 'password' ? (
          <ForgottenPassword />
        ) : isSignUp ? (
          <SignUp />
        ) : (
          <SignIn again={value.state === 'expired' ? value.user.username : undefined} />
        )}
      </div>
    </main>
  );
}

function SignIn({ again }: { again: string | undefined }) {
  const submit = async ({ username = '', password = '' }: Record<string, string>) => {
    try {
      await logIn(username, password);
    } catch (failure) {
      throw failure instanceof Failure && failure.status === 401 ? new Failure(401, strings.login.wrong) : failure;
    }
    if (['login', 'signup'].includes(route.value.name)) go('/', { replace: true });
  };
  const other = async () => {
    if (await confirmed(strings.login.otherAsk, strings.login.other)) await abandonAccount();
  };
  return (
    <>
      <h1>{strings.login.title}</h1>
      {again !== undefined && <p>{strings.login.again}</p>}
      <Form onSubmit={submit} submit={strings.login.submit}>
        <Field
          label={strings.login.username}
          name="username"
          autocomplete="username"
          autoFocus
          {...(again !== undefined && { value: again })}
        />
        <Field label={strings.login.password} name="password" type="password" autocomplete="current-password" />
      </Form>
      <a href="/password">{strings.password.forgotten}</a>
      {again !== undefined ? (
        <button type="button" class="link" onClick={() => void other()}>
          {strings.login.other}
        </button>
      ) : settings.registration !== 'closed' ? (
        <a href="/signup">{strings.login.toSignUp}</a>
      ) : (
        <p class="muted">{strings.signUp.closed}</p>
      )}
      <details>
        <summary>{strings.login.help}</summary>
        <p>{strings.login.helpText}</p>
        <pre>
          <code>{strings.login.command}</code>
        </pre>
      </details>
    </>
  );
}

function SignUp() {
  const confirmation = codeInAddress();
  if (settings.emailConfirmation === 'required' && !confirmation) return <AskForCode purpose="address" />;
  const submit = async ({ username = '', email = '', password = '', invitation = '' }: Record<string, string>) => {
    const code = confirmation?.code;
    await signUp({ username, email, password, ...(invitation !== '' && { invitation }), ...(code !== undefined && { code }) });
    go('/', { replace: true });
  };
  return (
    <>
      <h1>{strings.signUp.title}</h1>
      <Form onSubmit={submit} submit={strings.signUp.submit}>
        <Field
          label={strings.signUp.username}
          name="username"
          autocomplete="username"
          hint={strings.signUp.usernameHint}
          maxLength={64}
          pattern="[A-Za-z0-9][A-Za-z0-9._\-]*"
          autoFocus
        />
        <Field
          label={strings.signUp.email}
          name="email"
          type="email"
          autocomplete="email"
          {...(confirmation && { value: confirmation.email, readonly: true })}
        />
        <Field
          label={strings.signUp.password}
          name="password"
          type="password"
          autocomplete="new-password"
          hint={strings.signUp.passwordHint}
          minLength={8}
        />
        {settings.registration === 'invited' && (
          <Field
            label={strings.signUp.invitation}
            name="invitation"
            hint={strings.signUp.invitationHint}
            autocomplete="off"
            value={new URLSearchParams(location.search).get('invitation') ?? ''}
          />
        )}
      </Form>
      <a href="/login">{strings.signUp.toLogin}</a>
    </>
  );
}
