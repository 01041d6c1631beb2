import { useState } from 'preact/hooks';
import { me } from '../../account/session.ts';
import { notice } from '../../device/announcer.tsx';
import { shortOf } from '../../i18n/dates.ts';
import { laterStrings } from '../../i18n/strings-later.ts';
import { ask, chat } from '../../service/api.ts';
import { settings } from '../../service/settings.ts';
import { sync } from '../../sync/sync.ts';
import { Field, Form, Loading } from '../shared/controls.tsx';
import { copyOut } from '../shared/copy.tsx';
import { later } from '../shared/later.tsx';
import { ShownOnce } from '../shared/shown-once.tsx';
import { useLoaded } from '../shared/use-list.ts';
import { CodeField, inWords } from '../sign-in/second-factor-code.tsx';

const QrCode = later(async () => (await import('../shared/qr-code.tsx')).QrCode);

/** The second factor of the user: turning it on and off, and its recovery codes. */
export function SecondFactor() {
  const { value, failure, reload } = useLoaded(() => ask(chat.GET('/api/second-factor')), []);
  const [codes, setCodes] = useState<string[]>();
  if (!value) return <Loading failure={failure} onRetry={reload} />;
  const show = (made: string[]) => {
    setCodes(made);
    reload();
    // Retry the requests that were refused until now.
    sync.wake();
  };
  const end = () => {
    setCodes(undefined);
    reload();
  };
  if (codes) return <RecoveryCodes codes={codes} onDone={() => setCodes(undefined)} />;
  if (value.is_on)
    return (
      <>
        <p>
          {laterStrings.secondFactor.isOn(shortOf(new Date(value.since?.$date ?? 0)))}{' '}
          {laterStrings.secondFactor.left(value.recovery_codes_left)}
        </p>
        <Renewal onMade={show} />
        <Ending onEnded={end} />
      </>
    );
  if (!value.is_available) return <p class="muted">{laterStrings.secondFactor.unavailable}</p>;
  return (
    <>
      {value.is_required && <p role="status">{laterStrings.secondFactor.required}</p>}
      <Beginning onOn={show} />
    </>
  );
}

const Password = ({ name }: { name: string }) => (
  <Field label={laterStrings.settings.currentPassword} name={name} type="password" autocomplete="current-password" />
);

/** Turns it on: the password reveals the secret, and a code proves that the app has it. */
function Beginning({ onOn }: { onOn: (codes: string[]) => void }) {
  const [begun, setBegun] = useState<{ secret: string; uri: string }>();
  const begin = async ({ current = '' }: Record<string, string>) =>
    setBegun(await inWords(ask(chat.POST('/api/second-factor', { body: { current_password: current } }))));
  const confirm = async ({ code = '' }: Record<string, string>) =>
    onOn((await inWords(ask(chat.PUT('/api/second-factor', { body: { code } })))).recovery_codes);
  if (!begun)
    return (
      <Form onSubmit={begin} submit={laterStrings.secondFactor.begin}>
        <Password name="current" />
      </Form>
    );
  return (
    <div class="stack-wide">
      <p role="status">{laterStrings.secondFactor.scan}</p>
      <QrCode text={begun.uri} label={laterStrings.secondFactor.qrCode} />
      <p>
        {laterStrings.secondFactor.secret} <code dir="ltr">{begun.secret.replace(/(.{4})(?=.)/g, '$1 ')}</code>
      </p>
      <Form onSubmit={confirm} submit={laterStrings.secondFactor.turnOn} onCancel={() => setBegun(undefined)}>
        <CodeField kind="app" autoFocus />
      </Form>
    </div>
  );
}

/** The recovery codes, which nobody can see again. */
function RecoveryCodes({ codes, onDone }: { codes: string[]; onDone: () => void }) {
  const text = `${codes.join('\n')}\n`;
  const name = `${settings.name}-${me().username}-recovery-codes.txt`;
  return (
    <ShownOnce values={[]}>
      <h3>{laterStrings.secondFactor.recoveryTitle}</h3>
      <p>{laterStrings.secondFactor.recoveryHint}</p>
      <ul class="recovery-codes" dir="ltr">
        {codes.map((code) => (
          <li key={code}>
            <code>{code}</code>
          </li>
        ))}
      </ul>
      <div class="row">
        <button type="button" onClick={() => void copyOut(text, laterStrings.secondFactor.copied)}>
          {laterStrings.secondFactor.copy}
        </button>
        <button type="button" onClick={() => save(text, name)}>
          {laterStrings.secondFactor.download}
        </button>
        <button type="button" class="primary" onClick={onDone}>
          {laterStrings.secondFactor.kept}
        </button>
      </div>
    </ShownOnce>
  );
}

function save(text: string, name: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([text], { type: 'text/plain' }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}

/** Makes new recovery codes, by the password and a code. */
function Renewal({ onMade }: { onMade: (codes: string[]) => void }) {
  const submit = async ({ renewing: code = '', renewer: current = '' }: Record<string, string>) =>
    onMade((await inWords(ask(chat.PUT('/api/second-factor', { body: { code, current_password: current } })))).recovery_codes);
  return (
    <details>
      <summary>{laterStrings.secondFactor.renew}</summary>
      <Form onSubmit={submit} submit={laterStrings.secondFactor.renew}>
        <CodeField kind="either" name="renewing" />
        <Password name="renewer" />
      </Form>
    </details>
  );
}

/** Turns it off, by the password and a code. */
function Ending({ onEnded }: { onEnded: () => void }) {
  const submit = async ({ ending: code = '', ender: current = '' }: Record<string, string>) => {
    await inWords(ask(chat.DELETE('/api/second-factor', { body: { code, current_password: current } })));
    notice(laterStrings.secondFactor.isOff);
    onEnded();
  };
  return (
    <details>
      <summary>{laterStrings.secondFactor.turnOff}</summary>
      <Form onSubmit={submit} submit={laterStrings.secondFactor.turnOff} class="danger-form">
        <CodeField kind="either" name="ending" />
        <Password name="ender" />
      </Form>
    </details>
  );
}
