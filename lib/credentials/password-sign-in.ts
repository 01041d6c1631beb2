import { permissionDenied, type Refusal } from '../base/errors.ts';
import { config } from '../settings/config.ts';

const passwordsOff: Refusal = () =>
  permissionDenied('passwords_off', 'Passwords are turned off: sign in with the identity provider.');
export const passwordRefusals = [passwordsOff];

/**
 * Refuses sign-in, sign-up and password reset with 403 if people sign in through the identity
 * provider only. Operators create tokens on the command line.
 */
export function requirePasswords(): void {
  if (!config.takesPasswords) throw passwordsOff();
}
