import type { ObjectId } from 'mongodb';
import { dateSchema } from '../api/extended-json.ts';
import { aText, aToken, described, orNull, record, type Shown } from '../api/schema.ts';
import { type UserDocument, users } from '../collections/accounts/users.ts';
import { createCode } from '../credentials/codes.ts';
import { accountIsBot } from '../identity/bot-rules.ts';
import { noSuchUser } from '../identity/users.ts';
import { config } from '../settings/config.ts';

/** A code for a new password. Only the administrator who created it sees it, once. */
export const passwordCodeSchema = record('PasswordCode', {
  code: described('The 32 characters for `PUT /api/password`, shown only once.', aToken),
  link: described('The page of the web client for the code; null without `PUBLIC_URL`.', orNull(aText)),
  expires_at: described('The time of expiry, unless the code is used before.', dateSchema),
});

export const passwordCodeRefusals = [noSuchUser, accountIsBot];

/**
 * Creates a code that lets anyone who has it set a new password for an account. Throws 404 if the
 * account is unknown or not active.
 */
export async function createPasswordCode(id: ObjectId): Promise<Shown<typeof passwordCodeSchema>> {
  const user = await users.findOne({ _id: id, is_active: true }, { projection: { email: 1, is_bot: 1, session_generation: 1 } });
  if (!user) throw noSuchUser();
  if (user.is_bot) throw accountIsBot();
  const created = await createCode(codeFor(user));
  return { ...created, link: config.publicUrl ? passwordLink(created.code) : null };
}

/**
 * The link with a code. The code is after the `#`, so that it does not appear in logs or reach
 * other sites.
 */
export const passwordLink = (code: string): string => `${config.publicUrl}${passwordPath(code)}`;

/** The path of the link, for pages of the service. The service's own address may be unknown. */
export const passwordPath = (code: string): string => `/password#${code}`;

/**
 * The fields that are stored with a code for an account. A new password or a new address
 * invalidates the code.
 */
export const codeFor = ({ _id, email = '', session_generation }: Pick<UserDocument, '_id' | 'email' | 'session_generation'>) => ({
  email,
  account: { user: _id, generation: session_generation },
});
