import { render } from 'preact';
import { useState } from 'preact/hooks';
import { arePasskeysUsed, confirmByPasskey } from '../../account/passkeys.ts';
import { laterStrings } from '../../i18n/strings-later.ts';
import { ask, chat, Failure } from '../../service/api.ts';
import { Form } from '../shared/controls.tsx';
import { ButtonThatSays } from '../sign-in/oidc.tsx';
import { CodeField, inWords } from '../sign-in/second-factor-code.tsx';
import { CurrentPassword, proofOf } from './current-password.tsx';

let asking: Promise<boolean> | undefined;

/** Asks the user to confirm their identity, over an open dialog; resolves to whether they did. */
export function askForProof(): Promise<boolean> {
  asking ??= new Promise<boolean>((resolve) => {
    const dialog = document.body.appendChild(document.createElement('dialog'));
    dialog.setAttribute('aria-labelledby', 'proof-title');
    const close = (isProven: boolean) => {
      dialog.close();
      render(null, dialog);
      dialog.remove();
      resolve(isProven);
    };
    dialog.addEventListener('cancel', (event) => {
      event.preventDefault();
      close(false);
    });
    render(<Proof onDone={() => close(true)} onCancel={() => close(false)} />, dialog);
    dialog.showModal();
  }).finally(() => {
    asking = undefined;
  });
  return asking;
}

/** The password and, once the service asks for it, a code; or a passkey. */
function Proof({ onDone, onCancel }: { onDone: () => void; onCancel: () => void }) {
  const [needsCode, setNeedsCode] = useState(false);
  const words = laterStrings.proof;
  const confirm = async ({ proof = '', code }: Record<string, string>) => {
    const params = { path: { session: 'current' as const } };
    const body = { ...proofOf(proof), ...(code !== undefined && { code }) };
    try {
      await inWords(ask(chat.PATCH('/api/sessions/{session}', { params, body })));
    } catch (failure) {
      if (failure instanceof Failure && failure.code === 'fresh_sign_in_required')
        throw new Failure(403, laterStrings.oidc.refused.fresh_sign_in_required);
      // The password was right, and a second factor is on.
      if (!(failure instanceof Failure && failure.status === 400) || needsCode) throw failure;
      setNeedsCode(true);
      throw new Failure(400, words.codeToo);
    }
    onDone();
  };
  const confirmWithPasskey = async () => {
    await confirmByPasskey();
    onDone();
  };
  return (
    <div class="dialog-content">
      <header>
        <h2 id="proof-title">{words.title}</h2>
      </header>
      <div class="dialog-body">
        <p>{words.hint}</p>
        <Form onSubmit={confirm} submit={words.submit} onCancel={onCancel}>
          <CurrentPassword name="proof" />
          {needsCode && <CodeField kind="either" autoFocus />}
        </Form>
        {arePasskeysUsed() && <ButtonThatSays onClick={confirmWithPasskey} label={words.byPasskey} />}
      </div>
    </div>
  );
}
