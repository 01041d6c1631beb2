import { randomInt } from 'node:crypto';
import type { ObjectId } from 'mongodb';
import { dateSchema, showDate } from '../api/extended-json.ts';
import { about, id, optional, type Values } from '../api/parameters.ts';
import { aCount, aFlag, aText, described, listOf, orNull, record, type Shown } from '../api/schema.ts';
import { adminRequired, conflict, missingParameter, permissionDenied, type Refusal, tooManyRequests } from '../base/errors.ts';
import { log } from '../base/log.ts';
import { users } from '../collections/accounts/users.ts';
import { currentPassword, requireCurrentPassword, wrongCurrentPassword } from '../credentials/current-password.ts';
import { canEncrypt, decrypt, encrypt } from '../credentials/encryption.ts';
import { beginConfirmation } from '../credentials/login-limits.ts';
import { endSessions } from '../credentials/sessions.ts';
import { retryContended } from '../database/engines.ts';
import { isSecondFactorRequired } from '../identity/authenticate.ts';
import { type Caller, requireAdmin, unscopedTokenRequired } from '../identity/caller.ts';
import { noSuchUser } from '../identity/users.ts';
import { config } from '../settings/config.ts';
import { hashRecoveryCode, recoveryCodeLength, secondFactorCode, undecipherable, type WithSecondFactor } from './codes.ts';
import { requireCode, wrongSecondFactor } from './proof.ts';
import { noSecondFactor, resetSecondFactor, withoutSecondFactor } from './reset.ts';
import { acceptedStep, newSecret, toBase32, toUri } from './totp.ts';

/** The caller's second factor, without secrets. */
export const secondFactorSchema = record('SecondFactor', {
  is_on: described('Whether a login needs a code beside the password.', aFlag),
  is_available: described('Whether a second factor can be turned on; the service needs `SECRET_KEY`.', aFlag),
  is_required: described('Whether the account must have one: without it, it can do nothing else.', aFlag),
  since: described('When it was turned on; null while it is off.', orNull(dateSchema)),
  recovery_codes_left: described('The number of recovery codes that are left.', aCount),
});

/** The secret of a new second factor, which is shown only once. */
export const newSecondFactorSchema = record('NewSecondFactor', {
  secret: described('The secret in Base32, for an authenticator app.', aText),
  uri: described('The secret as an address, for a QR code.', aText),
});

/** New recovery codes, which are shown only once. */
export const recoveryCodesSchema = record('RecoveryCodes', {
  recovery_codes: described('Ten codes; each replaces a code of the app once.', listOf(aText)),
});

const mostCodes = 10;

/** The parameters to start, confirm and turn off a second factor. */
export const beginning = { current_password: currentPassword };
export const confirmation = {
  code: secondFactorCode,
  current_password: about('The current password, for new recovery codes of a second factor that is on.', currentPassword),
};
export const ending = {
  current_password: currentPassword,
  code: about('A code of the caller’s second factor.', optional(secondFactorCode)),
};
export const endedAccount = {
  user: about('The account whose second factor is reset, by default the caller’s own; for administrators.', optional(id)),
};

const unavailable: Refusal = () =>
  permissionDenied('second_factor_unavailable', 'Second factors are not available: the operator must set SECRET_KEY.');
const isOn: Refusal = () => conflict('second_factor_on', 'The account has a second factor already.');
const notBegun: Refusal = () =>
  conflict('second_factor_not_begun', 'The set-up of the second factor was not started in the last hour.');

const always = [unscopedTokenRequired, wrongCurrentPassword, tooManyRequests];
export const beginningRefusals = [...always, unavailable, isOn];
export const confirmationRefusals = [...always, wrongSecondFactor, notBegun];
export const endingRefusals = [...always, wrongSecondFactor, noSecondFactor, adminRequired, noSuchUser];

/** The state of the caller's second factor. */
export async function showSecondFactor({ user }: Caller): Promise<Shown<typeof secondFactorSchema>> {
  const factor = (await findAccount(user._id))?.second_factor;
  return {
    is_on: factor !== undefined,
    is_available: canEncrypt(),
    is_required: isSecondFactorRequired(user),
    since: factor ? showDate(factor.since) : null,
    recovery_codes_left: factor?.recovery_codes.length ?? 0,
  };
}

/**
 * Starts a second factor. Nothing changes until it is confirmed. It replaces another one that was
 * started.
 */
export async function beginSecondFactor(
  { current_password }: Values<typeof beginning>,
  caller: Caller,
): Promise<Shown<typeof newSecondFactorSchema>> {
  const { _id, username } = caller.user;
  if (!canEncrypt()) throw unavailable();
  await requireCurrentPassword(current_password, caller);
  const secret = newSecret();
  const pending = { secret: encrypt(secret, _id.toHexString()), expires_at: { $add: ['$$NOW', anHour] } };
  const { matchedCount } = await retryContended(() =>
    users.updateOne({ _id, second_factor: { $exists: false } }, [{ $set: { pending_second_factor: pending } }]),
  );
  if (matchedCount === 0) throw isOn();
  return { secret: toBase32(secret), uri: toUri(secret, { issuer: config.brandName, account: username }) };
}

/**
 * Turns on the started second factor, with a code of it. This ends the account's other sessions,
 * which have not proven a second factor. If it is on already, creates new recovery codes, with the
 * password and a code.
 */
export async function confirmSecondFactor(
  { code, current_password }: Values<typeof confirmation>,
  caller: Caller,
): Promise<Shown<typeof recoveryCodesSchema>> {
  const account = await findAccount(caller.user._id);
  const codes = Array.from({ length: mostCodes }, newRecoveryCode);
  const hashes = codes.map(hashRecoveryCode);
  if (account?.second_factor) {
    await requireCurrentPassword(current_password, caller);
    await requireCode(account as WithSecondFactor, code, caller);
    await replaceRecoveryCodes(account as WithSecondFactor, hashes);
  } else await turnOn(code, hashes, caller);
  return { recovery_codes: codes };
}

async function turnOn(code: string, recovery_codes: string[], { user: { _id }, token }: Caller): Promise<void> {
  const unexpired = { $expr: { $gt: ['$pending_second_factor.expires_at', '$$NOW'] } };
  const projection = { pending_second_factor: 1 };
  const secret = (await users.findOne({ _id, ...unexpired }, { projection }))?.pending_second_factor?.secret;
  if (secret === undefined) throw notBegun();
  const owner = _id.toHexString();
  const { bytes } = decrypt(secret, owner) ?? {};
  if (!bytes) throw undecipherable(owner);
  const attempt = await beginConfirmation(_id, token);
  const last_step = acceptedStep(bytes, code, { time: Date.now(), after: 0 });
  if (last_step === undefined) {
    await attempt.failed();
    throw wrongSecondFactor();
  }
  await attempt.succeeded();
  const changed = await users.findOneAndUpdate(
    { _id, second_factor: { $exists: false }, 'pending_second_factor.secret': secret },
    {
      $set: {
        'second_factor.secret': secret,
        'second_factor.last_step': last_step,
        'second_factor.recovery_codes': recovery_codes,
      },
      $currentDate: { 'second_factor.since': true },
      $unset: { pending_second_factor: '' },
      // A concurrent login did not ask for a code, so its session must end as well.
      $inc: { session_generation: 1 },
    },
    { returnDocument: 'after', projection: { session_generation: 1 } },
  );
  if (!changed) throw notBegun();
  log('info', 'security', { event: 'second factor turned on', by: owner });
  await endSessions(_id, changed.session_generation, token.kind === 'session' ? token._id : undefined);
}

async function replaceRecoveryCodes({ _id, second_factor: { since } }: WithSecondFactor, codes: string[]): Promise<void> {
  const { matchedCount } = await users.updateOne(
    { _id, 'second_factor.since': since },
    { $set: { 'second_factor.recovery_codes': codes } },
  );
  if (matchedCount === 0) throw noSecondFactor();
  log('info', 'security', { event: 'recovery codes made', by: _id.toHexString() });
}

/**
 * Turns off a second factor. The owner needs the password and a code. An administrator needs their
 * own password to turn off another account's.
 */
export async function endSecondFactor(
  { user }: Values<typeof endedAccount>,
  { code, current_password }: Values<typeof ending>,
  caller: Caller,
): Promise<void> {
  const isOwn = user === undefined || user.equals(caller.user._id);
  if (!isOwn) requireAdmin(caller);
  else if (code === undefined) throw missingParameter('code');
  await requireCurrentPassword(current_password, caller);
  if (!isOwn) return resetSecondFactor(user);
  const account = await findAccount(caller.user._id);
  if (!account?.second_factor) throw noSecondFactor();
  await requireCode(account as WithSecondFactor, code as string, caller);
  const { _id, second_factor } = account;
  await users.updateOne({ _id, 'second_factor.since': second_factor.since }, { $unset: withoutSecondFactor });
}

const findAccount = (_id: ObjectId) => users.findOne({ _id }, { projection: { second_factor: 1 } });

// Without characters that look like others: i, l, o, 0 and 1.
const alphabet = 'abcdefghjkmnpqrstuvwxyz23456789';

/** Creates a code of sixteen characters in groups of four. */
const newRecoveryCode = (): string =>
  Array.from({ length: recoveryCodeLength }, () => alphabet[randomInt(alphabet.length)])
    .join('')
    .replace(/(.{4})(?=.)/g, '$1-');

const anHour = 3_600_000;
