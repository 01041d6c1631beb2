import type { ObjectId } from 'mongodb';
import { conflict, type Refusal } from '../base/errors.ts';
import { users } from '../collections/accounts/users.ts';
import { countPasskeys, forgetPasskeys } from '../credentials/passkey-removal.ts';
import { endSessions } from '../credentials/sessions.ts';
import { findUser } from '../identity/users.ts';

/* Separate from the checks of codes: the command line, which does not have the key, also resets. */

export const noSecondFactor: Refusal = () => conflict('second_factor_off', 'The account does not have a second factor.');

/**
 * Turns off a lost second factor. It also ends the account's passkeys, which may be on the same
 * device, and its sessions. Throws 404 without an account, and 409 if it has neither a second
 * factor nor passkeys. One write ends all of them, including a passkey that is added concurrently.
 */
export async function resetSecondFactor(_id: ObjectId): Promise<void> {
  const hasPasskeys = (await countPasskeys(_id)) > 0;
  const changed = await users.findOneAndUpdate(
    { _id, ...(!hasPasskeys && { second_factor: { $exists: true } }) },
    { $unset: withoutSecondFactor, $inc: { session_generation: 1, passkey_generation: 1 } },
    { returnDocument: 'after', projection: { session_generation: 1 } },
  );
  if (!changed) {
    await findUser(_id);
    throw noSecondFactor();
  }
  await forgetPasskeys(_id);
  await endSessions(_id, changed.session_generation, undefined);
}

/** The fields that are removed with a second factor. */
export const withoutSecondFactor = { second_factor: '', pending_second_factor: '' } as const;
