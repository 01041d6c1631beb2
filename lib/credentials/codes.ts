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

/** Stores a new code, good for an hour or as long as is said, in milliseconds: its 32 characters can't be read again. */
export async function createCode(fields: Omit<CodeDocument, '_id' | 'hash' | 'expires_at'>, validFor = anHour) {
  const code = randomToken();
  const { expires_at } = await insertWithTimes(
    codes,
    { ...fields, hash: hashToken(code) },
    { expires_at: { $add: ['$$NOW', validFor] } },
  );
  return { code, expires_at: showDate(expires_at) };
}

/** The code with these characters; 404 if not found. A code that has expired by the database's clock is not found. */
export async function findCode(code: string): Promise<CodeDocument> {
  const found = await codes.findOne({ hash: hashToken(code), ...unexpiredWithin(longestOf) });
  if (!found) throw noSuchCode();
  return found;
}

/** Forgets a code that has been used. Its use must have been possible only once. */
export async function forgetCode(_id: ObjectId): Promise<void> {
  await codes.deleteMany({ _id });
}

/** Forgets the codes for an account. */
export async function forgetCodesOf(user: ObjectId): Promise<void> {
  await codes.deleteMany({ 'account.user': user });
}

const anHour = 3_600_000;

/** How many days a code for an imported account is valid at most. */
export const mostImportDays = 30;

/**
 * The milliseconds for which a code for the first administrator is valid. The person who starts a service need not be
 * the one who opens the page.
 */
export const aDay = 86_400_000;

const longestOf = {
  $cond: ['$is_for_setup', aDay, { $cond: ['$is_for_import', mostImportDays * aDay, anHour] }],
};
