import type { Passkeys as List, Passkey } from 'chat-service-client';
import { useState } from 'preact/hooks';
import { addPasskey, arePasskeysUsed, inWords } from '../../account/passkeys.ts';
import { notice } from '../../device/announcer.tsx';
import { shortOf } from '../../i18n/dates.ts';
import { laterStrings } from '../../i18n/strings-later.ts';
import { ask, chat, Failure } from '../../service/api.ts';
import { idOf } from '../../service/ids.ts';
import { Field, Form, Loading } from '../shared/controls.tsx';
import { openDialog } from '../shared/dialog.tsx';
import { useLoaded } from '../shared/use-list.ts';
import { CodeField, inWords as codeInWords } from '../sign-in/second-factor-code.tsx';
import { CurrentPassword, proofOf } from './current-password.tsx';

/** The passkeys of the user: adding, renaming and removing them. */
export function Passkeys() {
  const { value, failure, reload, change } = useLoaded(() => ask(chat.GET('/api/passkeys')), []);
  const [isLate, setLate] = useState(false);
  if (!value) return <Loading failure={failure} onRetry={reload} />;
  const words = laterStrings.passkeys;
  const { passkeys } = value;
  const obstacle = obstacleOf(value);
  /**
   * A passkey sign-in replaces a code for ten minutes, which may have passed while the form was
   * open.
   */
  const askForCode = async () => {
    const now = await ask(chat.GET('/api/passkeys'));
    setLate(now.needs_code);
    change(() => now);
    if (now.needs_code) throw new Failure(400, words.codeToo);
  };
  const add = async ({ adding = '', code }: Record<string, string>) => {
    try {
      await codeInWords(addPasskey({ ...proofOf(adding), ...(code !== undefined && { code }) }));
    } catch (failure) {
      if (failure instanceof Failure && failure.status === 400 && !value.needs_code) await askForCode();
      throw failure;
    }
    notice(words.added);
    reload();
  };
  return (
    <>
      {passkeys.length === 0 && obstacle === undefined && <p class="muted">{words.none}</p>}
      <ul class="listed">
        {passkeys.map((passkey) => (
          <ListedPasskey key={idOf(passkey)} passkey={passkey} onChange={reload} />
        ))}
      </ul>
      {obstacle === undefined ? (
        <Form key={passkeys.length} onSubmit={add} submit={words.add}>
          <CurrentPassword name="adding" />
          {value.needs_code && <CodeField kind="either" autoFocus={isLate} />}
        </Form>
      ) : (
        <p>{obstacle}</p>
      )}
    </>
  );
}

/** Why no passkey can be made here. */
function obstacleOf({ obstacle, origin }: List): string | undefined {
  const words = laterStrings.passkeys;
  if (obstacle !== null) return words.obstacles[obstacle];
  if (origin !== null && origin !== location.origin) return words.elsewhere(origin);
  return arePasskeysUsed() ? undefined : words.unsupported;
}

function ListedPasskey({ passkey, onChange }: { passkey: Passkey; onChange: () => void }) {
  const words = laterStrings.passkeys;
  const { name, created_at, last_used_at, is_backed_up } = passkey;
  const open = (title: string, Content: typeof Renaming) =>
    openDialog(title, (close) => (
      <Content
        passkey={passkey}
        onDone={(said) => {
          close();
          notice(said);
          onChange();
        }}
      />
    ));
  return (
    <li class="card">
      <p class="body">
        <bdi>{name}</bdi>
        <span class="muted">
          {' · '}
          {[
            words.made(shortOf(new Date(created_at.$date))),
            last_used_at
              ? laterStrings.settings.lastUsed(shortOf(new Date(last_used_at.$date)))
              : laterStrings.settings.neverUsed,
            ...(is_backed_up ? [words.isBackedUp] : []),
          ].join(' · ')}
        </span>
      </p>
      <button type="button" aria-label={words.renameOne(name)} onClick={() => open(words.renameOne(name), Renaming)}>
        {words.rename}
      </button>
      <button type="button" aria-label={words.removeOne(name)} onClick={() => open(words.removeOne(name), Removal)}>
        {words.remove}
      </button>
    </li>
  );
}

type DialogProps = { passkey: Passkey; onDone: (said: string) => void };

const at = (passkey: Passkey) => ({ path: { passkey: idOf(passkey) } });

function Renaming({ passkey, onDone }: DialogProps) {
  const words = laterStrings.passkeys;
  const rename = async ({ passkeyName: name = '' }: Record<string, string>) => {
    await ask(chat.PATCH('/api/passkeys/{passkey}', { params: at(passkey), body: { name } }));
    onDone(laterStrings.settings.changed);
  };
  return (
    <Form onSubmit={rename} submit={words.rename}>
      <Field label={words.name} name="passkeyName" value={passkey.name} maxLength={100} autocomplete="off" autoFocus />
    </Form>
  );
}

function Removal({ passkey, onDone }: DialogProps) {
  const words = laterStrings.passkeys;
  const remove = async ({ removing = '' }: Record<string, string>) => {
    await inWords(ask(chat.DELETE('/api/passkeys/{passkey}', { params: at(passkey), body: proofOf(removing) })));
    onDone(words.removed);
  };
  return (
    <Form onSubmit={remove} submit={words.remove} class="danger-form">
      <p>{words.removeHint}</p>
      <CurrentPassword name="removing" />
    </Form>
  );
}
