import { useState } from 'preact/hooks';
import { laterStrings } from '../../i18n/strings-later.ts';
import { ask, chat, Failure } from '../../service/api.ts';
import { settings } from '../../service/settings.ts';
import { Field, Form } from '../shared/controls.tsx';
import { NewPasswordField } from './account-fields.tsx';
import { SignInByProvider } from './oidc.tsx';

/**
 * A new password instead of a forgotten one: asks for a link or, once the page was opened by one,
 * for the password.
 */
export function ForgottenPassword() {
  const code = location.hash.slice(1);
  if (code !== '') return <NewPassword code={code} />;
  if (settings.sendsEmail) return <AskForCode purpose="password" />;
  return (
    <>
      <h1>{laterStrings.password.title}</h1>
      <p>{laterStrings.password.noEmail}</p>
      <ToLogin />
    </>
  );
}

/** The code and the address that the link of an e-mail has. */
export function codeInAddress(): { code: string; email: string } | undefined {
  const sent = new URLSearchParams(location.hash.slice(1));
  const [code, email] = [sent.get('code'), sent.get('email')];
  return code !== null && email !== null ? { code, email } : undefined;
}

/** The form that requests a link by e-mail. */
export function AskForCode({ purpose }: { purpose: 'password' | 'address' }) {
  const [isSent, setSent] = useState(false);
  const submit = async ({ email = '' }: Record<string, string>) => {
    await ask(chat.POST('/api/codes', { body: { email, purpose } }));
    setSent(true);
  };
  return (
    <>
      <h1>{purpose === 'password' ? laterStrings.password.title : laterStrings.password.address}</h1>
      {isSent ? (
        <p role="status">{laterStrings.password.sent}</p>
      ) : (
        <Form onSubmit={submit} submit={laterStrings.password.ask}>
          <Field label={laterStrings.settings.email} name="email" type="email" autocomplete="email" autoFocus />
        </Form>
      )}
      <ToLogin />
    </>
  );
}

/** Sets a new password by a code, or connects the account with a person at an identity provider. */
function NewPassword({ code }: { code: string }) {
  const takesPasswords = settings.takesPasswords !== false;
  const [isSet, setIsSet] = useState(false);
  const submit = async ({ password = '' }: Record<string, string>) => {
    try {
      await ask(chat.PUT('/api/password', { body: { code, password } }));
    } catch (failure) {
      throw failure instanceof Failure && failure.status === 404 ? new Failure(404, laterStrings.password.unknown) : failure;
    }
    setIsSet(true);
  };
  return (
    <>
      <h1>{takesPasswords ? laterStrings.password.title : laterStrings.password.connect}</h1>
      {isSet && <p role="status">{laterStrings.password.done}</p>}
      {!isSet && takesPasswords && (
        <Form onSubmit={submit} submit={laterStrings.password.submit}>
          <NewPasswordField label={laterStrings.settings.newPassword} autoFocus />
        </Form>
      )}
      {!isSet && settings.oidc && (
        <>
          <p class="muted">{laterStrings.password.connectHint}</p>
          <SignInByProvider code={code} />
        </>
      )}
      <ToLogin />
    </>
  );
}

const ToLogin = () => <a href="/login">{laterStrings.login.title}</a>;
