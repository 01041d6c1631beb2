import { go, roomPath } from '../routes.ts';
import { rooms } from '../store/rooms.ts';
import { strings } from '../strings.ts';
import { laterStrings } from '../strings-later.ts';
import { sync } from '../sync/sync.ts';
import { Field } from './controls.tsx';

/** Shows a new account the room that it was invited to, or the first one that it has joined. */
export async function enter(invited?: string): Promise<void> {
  go('/', { replace: true });
  await sync.readRooms({ all: true });
  const room = invited ?? rooms.value?.[0]?.id;
  if (room !== undefined) go(roomPath(room), { replace: true });
}

type AccountFieldsProps = { email?: string | undefined; autoFocus?: boolean };

/** What every new account needs; an address that was confirmed stays as it is. */
export const AccountFields = ({ email, autoFocus = false }: AccountFieldsProps) => (
  <>
    <Field
      label={laterStrings.signUp.username}
      name="username"
      autocomplete="username"
      hint={laterStrings.signUp.usernameHint}
      maxLength={64}
      pattern="\s*@?[A-Za-z0-9]([A-Za-z0-9._\-]*[A-Za-z0-9_\-])?\s*"
      fault={strings.faults.username}
      autoFocus={autoFocus}
    />
    <Field
      label={laterStrings.signUp.email}
      name="email"
      type="email"
      autocomplete="email"
      {...(email !== undefined && { value: email, readonly: true })}
    />
    <NewPasswordField label={laterStrings.signUp.password} />
  </>
);

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
