import { normaliseCredential } from 'chat-service-rules/texts';
import type { ObjectId } from 'mongodb';
import { about, credential, type Parameter } from '../api/parameters.ts';
import { serviceUnavailable } from '../base/errors.ts';
import { log } from '../base/log.ts';
import { type SecondFactorDocument, users } from '../collections/accounts/users.ts';
import { decrypt, encrypt } from '../credentials/encryption.ts';
import { hashToken } from '../identity/authenticate.ts';
import { acceptedStep } from './totp.ts';

const sixDigits = /^\d{6}$/;

/** The number of characters of a recovery code, without its dashes. */
export const recoveryCodeLength = 16;

const codePattern = /^(([0-9][ -]{0,2}){6}|([A-Za-z0-9][ -]{0,2}){16})$/;

/** The message for a rejected code, at a login and elsewhere. */
export const wrongCode = 'The code is incorrect, or was used before: wait for the next one.';

/** Normalises a code for comparison. Spaces and dashes only help people to read it. */
const plainCode = (sent: string) => normaliseCredential(sent).replace(/[ -]/g, '').toLowerCase();

/** A code of an authenticator app, or a recovery code. Spaces and dashes are ignored. */
export const secondFactorCode: Parameter<string> = about(
  'The six digits that the authenticator app shows, or a recovery code.',
  credential({
    read: (sent) => (typeof sent === 'string' && codePattern.test(sent) ? plainCode(sent) : undefined),
    rule: 'be six digits or the 16 characters of a recovery code',
    schema: { type: 'string', pattern: codePattern.source },
  }),
);

/** The stored hash of a recovery code. A table of hashes cannot cover its 79 random bits. */
export const hashRecoveryCode = (code: string): string => hashToken(plainCode(code));

/** An account with a second factor. */
export type WithSecondFactor = { _id: ObjectId; second_factor: SecondFactorDocument };

/**
 * Consumes a code. Returns true if it was valid and unused. One update decides, so of two
 * concurrent uses of a code one fails, whichever processes handle them. Throws 503 if the secret
 * cannot be decrypted; then only recovery codes work.
 */
export const useSecondFactor = (user: WithSecondFactor, code: string): Promise<boolean> =>
  sixDigits.test(code) ? useTotp(user, code) : useRecoveryCode(user, code);

async function useTotp({ _id, second_factor: { secret, last_step } }: WithSecondFactor, code: string): Promise<boolean> {
  const owner = _id.toHexString();
  const { bytes, isOld } = decrypt(secret, owner) ?? {};
  if (!bytes) throw undecipherable(owner);
  const step = acceptedStep(bytes, code, { time: Date.now(), after: last_step });
  if (step === undefined) return false;
  // The account's secret may have changed. A step is only stored over an earlier one.
  const { modifiedCount } = await users.updateOne(
    { _id, 'second_factor.secret': secret, 'second_factor.last_step': { $lt: step } },
    { $set: { 'second_factor.last_step': step, ...(isOld && { 'second_factor.secret': encrypt(bytes, owner) }) } },
  );
  return modifiedCount === 1;
}

async function useRecoveryCode({ _id, second_factor: { secret } }: WithSecondFactor, code: string): Promise<boolean> {
  const hash = hashRecoveryCode(code);
  const { modifiedCount } = await users.updateOne(
    { _id, 'second_factor.secret': secret, 'second_factor.recovery_codes': hash },
    { $pull: { 'second_factor.recovery_codes': hash } },
  );
  if (modifiedCount === 1) log('info', 'security', { event: 'recovery code used', by: _id.toHexString() });
  return modifiedCount === 1;
}

/** 503: the service does not have the key that encrypted the secret. */
export function undecipherable(owner: string) {
  const error = 'SECRET_KEY is not set, or has not the key that encrypted the secret';
  log('error', 'a second factor could not be checked', { whom: owner, error });
  return serviceUnavailable('The second factor can’t be checked at present. Use a recovery code, or ask an administrator.');
}
