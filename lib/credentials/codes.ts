import type { ObjectId } from 'mongodb';
import { showDate } from '../api/extended-json.ts';
import { tokenOf } from '../api/parameters.ts';
import { notFound, type Refusal } from '../base/errors.ts';
import { type CodeDocument, codes } from '../collections/accounts/codes.ts';
import { unexpiredWithin } from '../collections/accounts/tokens.ts';
import { insertWithTimes } from '../database/writes.ts';
import { hashToken } from '../identity/authenticate.ts';
import { randomToken } from '../identity/tokens.ts';

/** A one-time code. */
export const codeParameter = tokenOf('a code');

export const noSuchCode: Refusal = () => notFound('code');

/**
 * Stores a new code, valid for an hour or `validFor` milliseconds. Only its hash is stored, so its
 * 32 characters cannot be read again.
 */
export async function createCode(fields: Omit<CodeDocument, '_id' | 'hash' | 'expires_at'>, validFor = anHour) {
  const code = randomToken();
  const { expires_at } = await insertWithTimes(
    codes,
    { ...fields, hash: hashToken(code) },
    { expires_at: { $add: ['$$NOW', validFor] } },
  );
  return { code, expires_at: showDate(expires_at) };
}

/**
 * Finds a code by its characters; 404 if it does not exist or has expired by the database's clock.
 */
export async function findCode(code: string): Promise<CodeDocument> {
  const found = await codes.findOne({ hash: hashToken(code), ...unexpiredWithin(longestOf) });
  if (!found) throw noSuchCode();
  return found;
}

/** Deletes a used code. The caller must ensure that it cannot be used twice. */
export async function forgetCode(_id: ObjectId): Promise<void> {
  await codes.deleteMany({ _id });
}

/** Deletes the codes of an account. */
export async function forgetCodesOf(user: ObjectId): Promise<void> {
  await codes.deleteMany({ 'account.user': user });
}

const anHour = 3_600_000;

/** The maximum validity of a code for an imported account, in days. */
export const mostImportDays = 30;

/**
 * The validity of a code for the first administrator, in milliseconds. Long, because the person who
 * starts the service may not be the one who opens the page.
 */
export const aDay = 86_400_000;

const longestOf = {
  $cond: ['$is_for_setup', aDay, { $cond: ['$is_for_import', mostImportDays * aDay, anHour] }],
};
