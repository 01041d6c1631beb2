import { laterStrings } from '../../i18n/strings-later.ts';
import { settings } from '../../service/settings.ts';
import { Field } from '../shared/controls.tsx';

/** The current password; people of an identity provider may have none. */
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

/** What proves to the service who asks, where it was given. */
export const proofOf = (password: string): { current_password?: string } =>
  password === '' ? {} : { current_password: password };
