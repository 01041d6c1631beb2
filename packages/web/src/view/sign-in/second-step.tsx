import { useState } from 'preact/hooks';
import { arePasskeysUsed } from '../../account/passkeys.ts';
import { type Credentials, logIn } from '../../account/sign-in.ts';
import { laterStrings } from '../../i18n/strings-later.ts';
import { Form } from '../shared/controls.tsx';
import { PasskeyButton } from './passkey-button.tsx';
import { CodeField, inWords } from './second-factor-code.tsx';

type Props = { credentials: Credentials; onSignedIn: () => void; onBack: () => void };

/**
 * The second step of signing in: a code of the authenticator app, a recovery code, or a passkey.
 */
export function SecondStep({ credentials, onSignedIn, onBack }: Props) {
  const [isRecovery, setRecovery] = useState(false);
  const submit = async ({ code = '' }: Record<string, string>) => {
    await inWords(logIn({ ...credentials, second_factor: code }));
    onSignedIn();
  };
  return (
    <>
      <h1>{laterStrings.secondFactor.step}</h1>
      <p role="status">{isRecovery ? laterStrings.secondFactor.recoveryText : laterStrings.secondFactor.appText}</p>
      <Form
        key={String(isRecovery)}
        onSubmit={submit}
        submit={laterStrings.login.title}
        onCancel={onBack}
        cancel={laterStrings.secondFactor.back}
      >
        <CodeField kind={isRecovery ? 'recovery' : 'app'} autoFocus />
      </Form>
      <button type="button" class="link" onClick={() => setRecovery(!isRecovery)}>
        {isRecovery ? laterStrings.secondFactor.useApp : laterStrings.secondFactor.useRecovery}
      </button>
      {arePasskeysUsed() && <PasskeyButton onSignedIn={onSignedIn} username={credentials.username} />}
    </>
  );
}
