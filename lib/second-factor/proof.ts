import { about, optional, type Values } from '../api/parameters.ts';
import { missingParameter, permissionDenied, type Refusal, tooManyRequests } from '../base/errors.ts';
import { log } from '../base/log.ts';
import { users } from '../collections/accounts/users.ts';
import { currentPassword, requireCurrentPassword, wrongCurrentPassword } from '../credentials/current-password.ts';
import {
  freshSignInRequired,
  hasConfirmedIdentity,
  hasJustUsedPasskey,
  noSuchSession,
  noteProof,
  proofRequired,
  requireFreshSession,
} from '../credentials/fresh-sessions.ts';
import { beginConfirmation, endOnFailure } from '../credentials/login-limits.ts';
import type { Caller } from '../identity/caller.ts';
import { secondFactorCode, useSecondFactor, type WithSecondFactor, wrongCode } from './codes.ts';

export const wrongSecondFactor: Refusal = () => permissionDenied('wrong_second_factor', wrongCode);

/** The parameters that confirm the identity of the owner of a session. */
export const identityProof = {
  current_password: currentPassword,
  code: about('A code of the second factor, if that is on.', optional(secondFactorCode)),
};
export const identityProofRefusals = [
  noSuchSession,
  wrongCurrentPassword,
  wrongSecondFactor,
  freshSignInRequired,
  tooManyRequests,
];

/** The password and the second factor of the caller's account; null if the account is gone. */
const findCredentials = ({ user: { _id } }: Caller) =>
  users.findOne({ _id }, { projection: { password_hash: 1, second_factor: 1 } });

/**
 * Confirms for ten minutes that the owner of the account uses this session: by everything that a
 * sign-in asks for. An account with neither a password nor a second factor signs in again: 403.
 */
export async function confirmIdentity({ current_password, code }: Values<typeof identityProof>, caller: Caller): Promise<void> {
  if (caller.token.kind !== 'session') throw noSuchSession();
  const account = await findCredentials(caller);
  const hasPassword = account?.password_hash !== undefined;
  if (!hasPassword && !account?.second_factor) throw freshSignInRequired();
  if (hasPassword) await requireCurrentPassword(current_password, caller);
  if (account.second_factor) {
    if (code === undefined) throw missingParameter('code');
    await requireCode(account as WithSecondFactor, code, caller);
  }
  await noteProof(caller, { by: 'password' });
}

/**
 * Requires a code of the caller's second factor: 403 if it is wrong. Guessing is as slow as that of
 * a password.
 */
export async function requireCode(account: WithSecondFactor, code: string, { user: { _id }, token }: Caller): Promise<void> {
  const attempt = await beginConfirmation(_id, token);
  const isRight = await endOnFailure(useSecondFactor(account, code), attempt.withdrawn);
  if (isRight) return attempt.succeeded();
  await attempt.failed();
  log('info', 'security', { event: 'wrong second factor', by: _id.toHexString() });
  throw wrongSecondFactor();
}

/**
 * Requires a code, in addition to the password, if the caller's second factor is on: 400 without
 * one. A session that has just started with a passkey has proven both.
 */
export async function requireCodeIfOn(code: string | undefined, caller: Caller): Promise<void> {
  const account = await findCredentials(caller);
  if (!account?.second_factor || (await hasJustUsedPasskey(caller))) return;
  if (code === undefined) throw missingParameter('code');
  await requireCode(account as WithSecondFactor, code, caller);
}

/** The parameters of a request that itself proves the identity of its caller. */
export const ownProof = {
  current_password: currentPassword,
  second_factor: about(
    'A code of the second factor, if that is on. A session whose owner confirmed their identity in the last ten minutes needs neither code nor password.',
    optional(secondFactorCode),
  ),
};
export const ownProofRefusals = [wrongCurrentPassword, wrongSecondFactor, freshSignInRequired, proofRequired, tooManyRequests];

/**
 * Requires everything that a sign-in of the caller's account asks for. The request has it, or the
 * session had it in the last ten minutes. It protects acts that would outlast a stolen session, or
 * lock out the owner. Without it, a session gets 403 and can confirm the identity of its owner. A
 * named token gets 400.
 */
export async function requireOwnProof(
  { current_password, second_factor }: Values<typeof ownProof>,
  caller: Caller,
): Promise<void> {
  const account = await findCredentials(caller);
  const hasPassword = account?.password_hash !== undefined;
  if (hasPassword && current_password !== undefined) await requireCurrentPassword(current_password, caller);
  if (second_factor !== undefined && account?.second_factor)
    await requireCode(account as WithSecondFactor, second_factor, caller);
  const missing =
    hasPassword && current_password === undefined
      ? 'current_password'
      : account?.second_factor && second_factor === undefined
        ? 'second_factor'
        : undefined;
  if (missing !== undefined && !(await hasConfirmedIdentity(caller)))
    throw caller.token.kind === 'session' ? proofRequired() : missingParameter(missing);
  if (!hasPassword && !account?.second_factor) await requireFreshSession(caller);
}
