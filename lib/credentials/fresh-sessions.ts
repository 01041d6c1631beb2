import type { Document } from 'mongodb';
import { notFound, permissionDenied, type Refusal } from '../base/errors.ts';
import { tokens } from '../collections/accounts/tokens.ts';
import type { Caller } from '../identity/caller.ts';

export const freshSignInRequired: Refusal = () =>
  permissionDenied('fresh_sign_in_required', 'Sign in again first: this needs a session that is less than ten minutes old.');
export const proofRequired: Refusal = () =>
  permissionDenied('proof_required', 'Confirm your identity first: PATCH /api/sessions/current, or sign in again.');
export const noSuchSession: Refusal = () => notFound('session');

const tenMinutesAgo = { $add: ['$$NOW', -600_000] };
const isFresh = { $gt: [{ $max: ['$created_at', '$proven_at'] }, tenMinutesAgo] };
const hasFreshProof = { $gt: ['$proven_at', tenMinutesAgo] };
const hasFreshPasskey = {
  $or: [
    { $and: [{ $eq: ['$by_passkey', true] }, { $gt: ['$created_at', tenMinutesAgo] }] },
    { $gt: ['$passkey_used_at', tenMinutesAgo] },
  ],
};

/** Returns true if the caller uses a session for which an expression holds. */
async function isSessionWith({ token: { _id, kind } }: Pick<Caller, 'token'>, $expr: Document): Promise<boolean> {
  return kind === 'session' && (await tokens.findOne({ _id, kind, $expr }, { projection: { _id: 1 } })) !== null;
}

/**
 * True if the caller has proven their identity in this session in the last ten minutes, at its
 * start or later, by the database's clock. A named token cannot.
 */
export const isSessionFresh = (caller: Pick<Caller, 'token'>): Promise<boolean> => isSessionWith(caller, isFresh);

/**
 * True if the caller confirmed their identity in this session in the last ten minutes, or started
 * it with a passkey then. The thief of a new session did neither.
 */
export const hasConfirmedIdentity = (caller: Caller): Promise<boolean> =>
  isSessionWith(caller, { $or: [hasFreshProof, hasFreshPasskey] });

/**
 * Requires a fresh session: 403 if it is older. Accounts without a password prove their identity in
 * this way.
 */
export async function requireFreshSession(caller: Caller): Promise<void> {
  if (!(await isSessionFresh(caller))) throw freshSignInRequired();
}

/**
 * True if the caller used a passkey in this session in the last ten minutes. A passkey is both
 * factors in one.
 */
export const hasJustUsedPasskey = (caller: Caller): Promise<boolean> => isSessionWith(caller, hasFreshPasskey);

/**
 * Records in the caller's session that they confirmed their identity. 404 for a named token, and if
 * the session has ended.
 */
export async function noteProof({ token: { _id } }: Caller, { by }: { by: 'password' | 'passkey' }): Promise<void> {
  const times = { proven_at: '$$NOW', ...(by === 'passkey' && { passkey_used_at: '$$NOW' }) };
  const { matchedCount } = await tokens.updateOne({ _id, kind: 'session' }, [{ $set: times }]);
  if (matchedCount === 0) throw noSuchSession();
}
