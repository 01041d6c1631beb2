import { strings } from '../strings.ts';
import { Field } from './controls.tsx';

type AccountFieldsProps = { email?: string | undefined; autoFocus?: boolean };

/** What every new account needs; an address that was confirmed stays as it is. */
export const AccountFields = ({ email, autoFocus = false }: AccountFieldsProps) => (
  <>
    <Field
      label={strings.signUp.username}
      name="username"
      autocomplete="username"
      hint={strings.signUp.usernameHint}
      maxLength={64}
      pattern="\s*@?[A-Za-z0-9]([A-Za-z0-9._\-]*[A-Za-z0-9_\-])?\s*"
      fault={strings.faults.username}
      autoFocus={autoFocus}
    />
    <Field
      label={strings.signUp.email}
      name="email"
      type="email"
      autocomplete="email"
      {...(email !== undefined && { value: email, readonly: true })}
    />
    <NewPasswordField label={strings.signUp.password} />
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
    hint={strings.signUp.passwordHint}
    minLength={8}
    autoFocus={autoFocus}
  />
);
