import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { otherName, suggestUsername } from '../../account/suggested-name.ts';
import { go, roomPath } from '../../device/routes.ts';
import { strings } from '../../i18n/strings.ts';
import { laterStrings } from '../../i18n/strings-later.ts';
import { Failure } from '../../service/api.ts';
import { rooms } from '../../store/rooms/rooms.ts';
import { sync } from '../../sync/sync.ts';
import { Field, Form } from '../shared/controls.tsx';

/** Opens the room that a new account was invited to, or the first one that it has joined. */
export async function enter(invited?: string): Promise<void> {
  go('/', { replace: true });
  await sync.readRooms({ all: true });
  const room = invited ?? rooms.value?.[0]?.id;
  if (room !== undefined) go(roomPath(room), { replace: true });
}

type AccountFormProps = {
  onSubmit: (values: Record<string, string>) => Promise<unknown>;
  submit: string;
  /** A confirmed address, which cannot be changed here. */
  email?: string | undefined;
  before?: ComponentChildren;
  children?: ComponentChildren;
};

/** How many usernames are tried before the user is asked for one. */
const mostTries = 4;

/**
 * The fields of a new account: a name, an address and a password. The name suggests the username.
 * If the service refuses it, the form tries others with a number, unless the person has chosen it.
 */
export function AccountForm({ onSubmit, submit, email, before, children }: AccountFormProps) {
  const [name, setName] = useState('');
  const [address, setAddress] = useState(email ?? '');
  const [chosen, setChosen] = useState<string>();
  const suggested = suggestUsername(name, address);
  const send = async (values: Record<string, string>) => {
    if (chosen === undefined && suggested === '') {
      setChosen('');
      throw new Failure(0, laterStrings.signUp.needsUsername);
    }
    const fields = { ...values, name: name.trim() };
    if (chosen !== undefined) return onSubmit(fields);
    for (let tried = 1, username = suggested; ; tried++) {
      try {
        return await onSubmit({ ...fields, username });
      } catch (failure) {
        const isRefused = failure instanceof Failure && ['username_taken', 'username_reserved'].includes(failure.code ?? '');
        if (!isRefused) throw failure;
        username = otherName(suggested, username);
        if (tried < mostTries) continue;
        setChosen(username);
        throw failure;
      }
    }
  };
  return (
    <Form onSubmit={send} submit={submit}>
      {before}
      <Field
        label={laterStrings.signUp.name}
        name="name"
        autocomplete="name"
        autocapitalize="words"
        maxLength={128}
        onInput={({ value }) => setName(value)}
        autoFocus
      />
      <Field
        label={laterStrings.settings.email}
        name="email"
        type="email"
        autocomplete="email"
        onInput={({ value }) => setAddress(value)}
        {...(email !== undefined && { value: email, readonly: true })}
      />
      <NewPasswordField label={laterStrings.login.password} />
      {chosen !== undefined ? (
        <Field
          label={laterStrings.signUp.username}
          name="username"
          autocomplete="username"
          hint={laterStrings.signUp.usernameRules}
          maxLength={64}
          pattern="\s*@?[A-Za-z0-9]([A-Za-z0-9._\-]*[A-Za-z0-9_\-])?\s*"
          fault={strings.faults.username}
          value={chosen}
          autoFocus
        />
      ) : (
        // Drawn from the start, so that the content below does not move.
        <p class="muted suggested">
          {suggested === '' ? (
            laterStrings.signUp.fromName
          ) : (
            <>
              {laterStrings.signUp.mentioned(suggested)}{' '}
              <button type="button" class="link" onClick={() => setChosen(suggested)}>
                {laterStrings.signUp.change}
              </button>
            </>
          )}
        </p>
      )}
      {children}
    </Form>
  );
}

type NewPasswordFieldProps = { label: string; autoFocus?: boolean };

/** The field for a new password. */
export const NewPasswordField = ({ label, autoFocus = false }: NewPasswordFieldProps) => (
  <Field
    label={label}
    name="password"
    type="password"
    autocomplete="new-password"
    hint={laterStrings.signUp.passwordHint}
    minLength={8}
    autoFocus={autoFocus}
  />
);
