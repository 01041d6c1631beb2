import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { otherName, usernameFrom } from '../../account/suggested-name.ts';
import { go, roomPath } from '../../device/routes.ts';
import { strings } from '../../i18n/strings.ts';
import { laterStrings } from '../../i18n/strings-later.ts';
import { Failure } from '../../service/api.ts';
import { rooms } from '../../store/rooms/rooms.ts';
import { sync } from '../../sync/sync.ts';
import { Field, Form } from '../shared/controls.tsx';

/** Shows a new account the room that it was invited to, or the first one that it has joined. */
export async function enter(invited?: string): Promise<void> {
  go('/', { replace: true });
  await sync.readRooms({ all: true });
  const room = invited ?? rooms.value?.[0]?.id;
  if (room !== undefined) go(roomPath(room), { replace: true });
}

type AccountFormProps = {
  onSubmit: (values: Record<string, string>) => Promise<unknown>;
  submit: string;
  /** An address that was confirmed, which stays as it is. */
  email?: string | undefined;
  autoFocus?: boolean;
  before?: ComponentChildren;
  children?: ComponentChildren;
};

/**
 * What every new account needs: an address and a password. The address suggests the username, until somebody types one;
 * where the service refuses a suggestion, the next one has a number.
 */
export function AccountForm({ onSubmit, submit, email, autoFocus = true, before, children }: AccountFormProps) {
  const [base, setBase] = useState(usernameFrom(email ?? ''));
  const [suggested, setSuggested] = useState(base);
  const [isOwn, setOwn] = useState(false);
  const suggest = ({ value, form }: HTMLInputElement) => {
    const next = usernameFrom(value);
    if (next === base) return;
    setBase(next);
    setSuggested(next);
    // An empty field that was complained about is filled in now.
    if (!isOwn) (form?.elements.namedItem('username') as HTMLInputElement | null)?.setCustomValidity('');
  };
  const send = async (values: Record<string, string>) => {
    try {
      await onSubmit(values);
    } catch (failure) {
      const isRefused = failure instanceof Failure && ['username_taken', 'username_reserved'].includes(failure.code ?? '');
      if (!isRefused || isOwn) throw failure;
      const other = otherName(base, suggested);
      setSuggested(other);
      throw new Failure(failure.status, laterStrings.signUp.taken(suggested, other));
    }
  };
  return (
    <Form onSubmit={send} submit={submit}>
      {before}
      <Field
        label={laterStrings.signUp.email}
        name="email"
        type="email"
        autocomplete="email"
        autoFocus={autoFocus && email === undefined}
        onInput={suggest}
        {...(email !== undefined && { value: email, readonly: true })}
      />
      <Field
        label={laterStrings.signUp.username}
        name="username"
        autocomplete="username"
        hint={isOwn || suggested === '' ? laterStrings.signUp.usernameRules : laterStrings.signUp.suggested}
        maxLength={64}
        pattern="\s*@?[A-Za-z0-9]([A-Za-z0-9._\-]*[A-Za-z0-9_\-])?\s*"
        fault={strings.faults.username}
        value={suggested}
        onInput={() => setOwn(true)}
        autoFocus={autoFocus && email !== undefined}
      />
      <NewPasswordField label={laterStrings.signUp.password} />
      {children}
    </Form>
  );
}

type NewPasswordFieldProps = { label: string; autoFocus?: boolean };

/** The password that an account is to have. */
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
