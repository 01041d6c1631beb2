import { missingParameter, permissionDenied, type Refusal } from '../base/errors.ts';
import { log } from '../base/log.ts';
import { users } from '../collections/accounts/users.ts';
import { hasJustUsedPasskey } from '../credentials/fresh-sessions.ts';
import { beginConfirmation } from '../credentials/login-limits.ts';
import type { Caller } from '../identity/caller.ts';
import { useSecondFactor, type WithSecondFactor, wrongCode } from './codes.ts';

export const wrongSecondFactor: Refusal = () => permissionDenied('wrong_second_factor', wrongCode);

/** Requires a code of the caller's second factor: 403 if it is wrong. Guessing is as slow as that of a password. */
export async function requireCode(account: WithSecondFactor, code: string, { user: { _id }, token }: Caller): Promise<void> {
  const attempt = await beginConfirmation(_id, token);
  const isRight = await useSecondFactor(account, code).catch(async (error) => {
    await attempt.withdrawn();
    throw error;
  });
  if (isRight) return attempt.succeeded();
  await attempt.failed();
  log('info', 'security', { event: 'wrong second factor', by: _id.toHexString() });
  throw wrongSecondFactor();
}

/**
 * Requires a code where the caller's second factor is on, beside the password: 400 without one. A session that has just
 * been begun with a passkey has proven both.
 */
export async function requireCodeIfOn(code: string | undefined, caller: Caller): Promise<void> {
  const { _id } = caller.user;
  const account = await users.findOne({ _id }, { projection: { second_factor: 1 } });
  if (!account?.second_factor || (await hasJustUsedPasskey(caller))) return;
  if (code === undefined) throw missingParameter('code');
  await requireCode(account as WithSecondFactor, code, caller);
}
