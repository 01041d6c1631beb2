import { permissionDenied, type Refusal } from '../base/errors.ts';
import { config } from '../settings/config.ts';

const passwordsOff: Refusal = () =>
  permissionDenied('passwords_off', 'Passwords are not used here: sign in by the identity provider.');
export const passwordRefusals = [passwordsOff];

/**
 * Refuses, with 403, to sign in, to sign up or to get a new password where the identity provider alone signs people
 * in. Operators make tokens on the command line.
 */
export function requirePasswords(): void {
  if (!config.takesPasswords) throw passwordsOff();
}
