import { laterStrings } from '../../i18n/strings-later.ts';
import { settings } from '../../service/settings.ts';
import { Field } from '../shared/controls.tsx';

/** The current password; users of an identity provider may not have one. */
export const CurrentPassword = ({ name }: { name: string }) => (
  <Field
    label={laterStrings.settings.currentPassword}
    name={name}
    type="password"
    autocomplete="current-password"
    required={settings.oidc === undefined}
    {...(settings.oidc !== undefined && { hint: laterStrings.oidc.noPassword })}
  />
);

/** The user's proof of identity, if a password was entered. */
export const proofOf = (password: string): { current_password?: string } =>
  password === '' ? {} : { current_password: password };
