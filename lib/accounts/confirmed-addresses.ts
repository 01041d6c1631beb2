import { permissionDenied, type Refusal } from '../base/errors.ts';
import { users } from '../collections/accounts/users.ts';
import { findCode, forgetCode, noSuchCode } from '../credentials/codes.ts';
import { emailKey } from '../identity/account-names.ts';
import { type Caller, isAdmin } from '../identity/caller.ts';
import { config } from '../settings/config.ts';

const confirmationRequired: Refusal = () =>
  permissionDenied('email_code_required', 'A code that was sent to the e-mail address is required.');
export const confirmationRefusals = [confirmationRequired, noSuchCode];

/**
 * Calls `give` to create or change an account with an address, if the caller has the code that was
 * sent to the address. Administrators need no code. Addresses are unique, so one code cannot make
 * two accounts.
 *
 * 403 if a code is required and missing, 404 if the code is not for this address.
 */
export async function withConfirmedAddress<T>(
  { email, code }: { email: string; code: string | undefined },
  caller: Caller | undefined,
  give: () => Promise<T>,
): Promise<T> {
  if (config.emailConfirmation === 'off' || isAdmin(caller)) return give();
  if (code === undefined) throw confirmationRequired();
  const { _id, email: confirmed, account } = await findCode(code);
  if (confirmed !== email || account !== undefined) throw noSuchCode();
  const given = await give();
  // The code proves that its owner reads e-mail to exactly this address.
  await Promise.all([
    forgetCode(_id),
    users.updateOne({ email_key: emailKey(email), email }, { $set: { confirmed_email: email } }),
  ]);
  return given;
}
