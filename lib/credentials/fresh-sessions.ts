import { notFound, permissionDenied, type Refusal } from '../base/errors.ts';
import { tokens } from '../collections/accounts/tokens.ts';
import type { Caller } from '../identity/caller.ts';

export const freshSignInRequired: Refusal = () =>
  permissionDenied('fresh_sign_in_required', 'Sign in again first: this needs a session that is less than ten minutes old.');
export const proofRequired: Refusal = () =>
  permissionDenied('proof_required', 'Confirm your identity first: PATCH /api/sessions/current, or sign in again.');
export const noSuchSession: Refusal = () => notFound('session');

const tenMinutesAgo = { $add: ['$$NOW', -600_000] };
const isFresh = { $expr: { $gt: [{ $max: ['$created_at', '$proven_at'] }, tenMinutesAgo] } };
const hasFreshPasskey = {
  $expr: {
    $or: [
      { $and: [{ $eq: ['$by_passkey', true] }, { $gt: ['$created_at', tenMinutesAgo] }] },
      { $gt: ['$passkey_used_at', tenMinutesAgo] },
    ],
  },
};

/**
 * Whether the caller has proven their identity in this session in the last ten minutes, at its
 * beginning or later, by the database's clock. A named token cannot.
 */
export async function isSessionFresh({ token: { _id, kind } }: Pick<Caller, 'token'>): Promise<boolean> {
  if (kind !== 'session') return false;
  return (await tokens.findOne({ _id, kind, ...isFresh }, { projection: { _id: 1 } })) !== null;
}

/**
 * Whether the caller confirmed their identity in this session in the last ten minutes, or began it
 * with a passkey then. Somebody who has stolen a new session did neither.
 */
export async function hasConfirmedIdentity(caller: Caller): Promise<boolean> {
  const { _id, kind } = caller.token;
  if (kind !== 'session') return false;
  const proven = { _id, kind, $expr: { $gt: ['$proven_at', tenMinutesAgo] } };
  return (await tokens.findOne(proven, { projection: { _id: 1 } })) !== null || hasJustUsedPasskey(caller);
}

/**
 * Requires a fresh session: 403 if it is older. It is the proof of identity if there is no password
 * to ask for.
 */
export async function requireFreshSession(caller: Caller): Promise<void> {
  if (!(await isSessionFresh(caller))) throw freshSignInRequired();
}

/**
 * Whether the caller used a passkey in this session less than ten minutes ago. A passkey is both
 * factors in one.
 */
export async function hasJustUsedPasskey({ token: { _id, kind } }: Caller): Promise<boolean> {
  if (kind !== 'session') return false;
  return (await tokens.findOne({ _id, kind, ...hasFreshPasskey }, { projection: { _id: 1 } })) !== null;
}

/**
 * Notes in the caller's session that they confirmed their identity; 404 for a named token, and if
 * the session has ended.
 */
export async function noteProof({ token: { _id } }: Caller, { by }: { by: 'password' | 'passkey' }): Promise<void> {
  const times = { proven_at: '$$NOW', ...(by === 'passkey' && { passkey_used_at: '$$NOW' }) };
  const { matchedCount } = await tokens.updateOne({ _id, kind: 'session' }, [{ $set: times }]);
  if (matchedCount === 0) throw noSuchSession();
}
