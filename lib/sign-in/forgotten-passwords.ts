import { about, type Values } from '../api/parameters.ts';
import { log } from '../base/log.ts';
import { users } from '../collections/accounts/users.ts';
import { codeParameter, findCode, forgetCode, noSuchCode } from '../credentials/codes.ts';
import { rememberAddress } from '../credentials/login-limits.ts';
import { newPassword } from '../credentials/password-policy.ts';
import { passwordRefusals, requirePasswords } from '../credentials/password-sign-in.ts';
import { hashPassword } from '../credentials/passwords.ts';
import { endSessions } from '../credentials/sessions.ts';
import { revokeTokens } from '../identity/api-tokens.ts';
import { claimed } from '../identity/unclaimed.ts';

/** The parameters of a new password. */
export const passwordParameters = {
  code: about('The code from the e-mail or from an administrator.', codeParameter),
  password: newPassword,
};

export const newPasswordRefusals = [...passwordRefusals, noSuchCode];

/**
 * Sets a new password with a code, which works once; 404 if it is invalid. This ends all sessions
 * and named tokens of the account. The address of the request then counts as the owner's, so that
 * wrong passwords from elsewhere do not lock the owner out.
 */
export async function setForgottenPassword({ code, password }: Values<typeof passwordParameters>, source: string): Promise<void> {
  requirePasswords();
  const { _id, email, account } = await findCode(code);
  if (!account) throw noSuchCode();
  const { user, generation } = account;
  const changed = await users.findOneAndUpdate(
    { _id: user, email, session_generation: generation, is_active: true, is_bot: { $exists: false } },
    { $set: { password_hash: await hashPassword(password) }, $unset: claimed, $inc: { session_generation: 1 } },
    { returnDocument: 'after', projection: { session_generation: 1 } },
  );
  if (!changed) throw noSuchCode();
  await Promise.all([
    forgetCode(_id),
    endSessions(user, changed.session_generation, undefined),
    revokeTokens(user, undefined),
    rememberAddress(user.toHexString(), source),
  ]);
  log('info', 'security', { event: 'password set by a code', whom: user.toHexString(), source });
}
