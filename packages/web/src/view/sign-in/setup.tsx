import { useState } from 'preact/hooks';
import { isSetUp } from '../../account/session.ts';
import { setUp } from '../../account/sign-in.ts';
import { notice } from '../../device/announcer.tsx';
import { strings } from '../../i18n/strings.ts';
import { laterStrings } from '../../i18n/strings-later.ts';
import { Failure } from '../../service/api.ts';
import { settings } from '../../service/settings.ts';
import { safeName } from '../../text/names.ts';
import { Field } from '../shared/controls.tsx';
import { AccountForm, enter } from './account-fields.tsx';

/**
 * The start page of a service without an administrator, who is created here with the code that the
 * service printed.
 */
export function SetUp() {
  const [code] = useState(location.hash.slice(1));
  const [isAsked, setAsked] = useState(code === '');
  const submit = async ({ code: typed, username = '', name = '', email = '', password = '' }: Record<string, string>) => {
    // People may paste the whole link into the field.
    const sent = (typed ?? code).replace(/^.*#/, '').trim();
    try {
      await setUp({ code: sent, username, name, email, password });
    } catch (failure) {
      if (!(failure instanceof Failure)) throw failure;
      if (isWrongCode(failure)) {
        setAsked(true);
        throw new Failure(failure.status, laterStrings.setup.unknown);
      }
      if (failure.status !== 403) throw failure;
      // Somebody else was faster: sign in instead.
      notice(failure.message);
      isSetUp.value = true;
      return;
    }
    await enter();
  };
  return (
    <>
      <h1>{strings.rooms.welcomeTo(safeName(settings.name))}</h1>
      <p class="muted">{laterStrings.setup.text}</p>
      <AccountForm onSubmit={submit} submit={laterStrings.setup.submit}>
        {isAsked && (
          <Field label={laterStrings.setup.code} name="code" value={code} hint={laterStrings.setup.codeHint} autocomplete="off" />
        )}
      </AccountForm>
      {isAsked && (
        <details>
          <summary>{laterStrings.setup.help}</summary>
          <p>{laterStrings.setup.helpText}</p>
          <pre>
            <code>{laterStrings.setup.command}</code>
          </pre>
          <a href="/login">{laterStrings.signUp.toLogin}</a>
        </details>
      )}
    </>
  );
}

const isWrongCode = ({ status, message }: Failure) => status === 404 || message === strings.faults.code;
