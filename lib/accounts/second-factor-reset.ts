import type { ObjectId } from 'mongodb';
import { users } from '../collections/users.ts';
import { conflict, type Refusal } from '../errors.ts';
import { findUser } from '../identity/users.ts';
import { endSessions } from './sessions.ts';

/* Apart from what checks codes: the command line, which has no key, resets as well. */

export const noSecondFactor: Refusal = () => conflict('second_factor_off', 'The account has no second factor.');

/** Turns off a second factor that was lost, and ends the account's sessions; 404 without an account, 409 without a factor. */
export async function resetSecondFactor(_id: ObjectId): Promise<void> {
  const changed = await users.findOneAndUpdate(
    { _id, second_factor: { $exists: true } },
    { $unset: withoutSecondFactor, $inc: { session_generation: 1 } },
    { returnDocument: 'after', projection: { session_generation: 1 } },
  );
  if (!changed) {
    await findUser(_id);
    throw noSecondFactor();
  }
  await endSessions(_id, changed.session_generation, undefined);
}

/** What a change removes with a second factor. */
export const withoutSecondFactor = { second_factor: '', pending_second_factor: '' } as const;
