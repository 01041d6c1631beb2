import type { ObjectId } from 'mongodb';
import { conflict, type Refusal } from '../base/errors.ts';
import { users } from '../collections/accounts/users.ts';
import { countPasskeys, forgetPasskeys } from '../credentials/passkey-removal.ts';
import { endSessions } from '../credentials/sessions.ts';
import { findUser } from '../identity/users.ts';

/* Apart from what checks codes: the command line, which has no key, resets as well. */

export const noSecondFactor: Refusal = () => conflict('second_factor_off', 'The account has no second factor.');

/**
 * Turns off a second factor that was lost, and ends the account's passkeys, which may be on the same device, and its
 * sessions; 404 without an account, 409 without either. One write decides: it ends all of them, also a passkey that is
 * added at the same moment.
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

/** What a change removes with a second factor. */
export const withoutSecondFactor = { second_factor: '', pending_second_factor: '' } as const;
