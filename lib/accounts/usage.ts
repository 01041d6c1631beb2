import type { ObjectId } from 'mongodb';
import { optional, type Values } from '../api/parameters.ts';
import { aCount, aFlag, described, orNull, record, type Shown } from '../api/schema.ts';
import { tokens, unexpired } from '../collections/accounts/tokens.ts';
import { type UserDocument, users } from '../collections/accounts/users.ts';
import { fileQuotas } from '../collections/rooms/file-quotas.ts';
import { rooms } from '../collections/rooms/rooms.ts';
import { countPasskeys } from '../credentials/passkey-removal.ts';
import { findUser } from '../identity/users.ts';
import { holdParameter, holdUser } from './holds.ts';
import { rateParameter, setWriteRate } from './rates.ts';
import { unlimit } from './unlimit.ts';

/** The usage of an account, as administrators see it. */
export const usageSchema = record('Usage', {
  sessions: described('The number of sessions.', aCount),
  tokens: described('The number of named tokens.', aCount),
  rooms: described('The number of rooms and conversations that the user is in, at most 10,000.', aCount),
  owned_rooms: described('The number of these rooms that the user owns, at most 10,000.', aCount),
  file_bytes: described('The size of all files that the user has sent, in bytes.', aCount),
  passkeys: described('The number of passkeys.', aCount),
  has_second_factor: described('Whether a login needs a code beside the password.', aFlag),
  is_held: described('Whether its messages are kept however old they are.', aFlag),
  writes_per_second: described(
    "The account's own sustained rate of messages and changes per second; null for the default of the service.",
    orNull(aCount),
  ),
});

/** The highest number that is counted. */
const most = 10_000;

/**
 * Counts the sessions, tokens, rooms, files and passkeys of an account; 404 if it does not exist.
 */
export async function readUsage(user: ObjectId): Promise<Shown<typeof usageSchema>> {
  await findUser(user);
  const countTokens = (kind: 'session' | 'api') => tokens.countDocuments({ user, kind, ...unexpired }, { limit: most });
  const [sessions, named, joined, owned, files, passkeys, account] = await Promise.all([
    countTokens('session'),
    countTokens('api'),
    rooms.countDocuments({ 'members.user': user }, { limit: most }),
    rooms.countDocuments({ 'members.user': user, members: { $elemMatch: { user, role: 'owner' } } }, { limit: most }),
    fileQuotas.findOne({ _id: user.toHexString() }, { projection: { bytes: 1 } }),
    countPasskeys(user),
    users.findOne<Pick<UserDocument, 'second_factor' | 'is_held' | 'writes_per_second'>>(
      { _id: user },
      { projection: { 'second_factor.since': 1, is_held: 1, writes_per_second: 1 } },
    ),
  ]);
  return {
    sessions,
    tokens: named,
    rooms: joined,
    owned_rooms: owned,
    file_bytes: files?.bytes ?? 0,
    passkeys,
    has_second_factor: account?.second_factor !== undefined,
    is_held: account?.is_held === true,
    writes_per_second: account?.writes_per_second ?? null,
  };
}

/** The changes that administrators can make to the usage of an account. */
export const usageChanges = { is_held: optional(holdParameter), writes_per_second: optional(rateParameter) };

/**
 * Puts an account on hold or releases it, and sets or removes its write rate; 404 if it does not
 * exist. The rate comes first: it is refused for a deleted account, which can be on hold, and then
 * nothing has changed.
 */
export async function changeUsage(
  user: ObjectId,
  { is_held: isHeld, writes_per_second: perSecond }: Values<typeof usageChanges>,
): Promise<void> {
  if (perSecond !== undefined) await setWriteRate(user, perSecond);
  if (isHeld !== undefined) await holdUser(user, isHeld);
}

/** Resets the rate limits of an account; 404 if it does not exist. */
export async function forgetUsage(id: ObjectId): Promise<void> {
  const { email } = await findUser(id);
  await unlimit(id, email);
}
