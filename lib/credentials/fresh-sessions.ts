import { permissionDenied, type Refusal } from '../base/errors.ts';
import { tokens } from '../collections/accounts/tokens.ts';
import type { Caller } from '../identity/caller.ts';

export const freshSignInRequired: Refusal = () =>
  permissionDenied('fresh_sign_in_required', 'Sign in again first: this needs a session that is less than ten minutes old.');

const isFresh = { $expr: { $gt: ['$created_at', { $add: ['$$NOW', -600_000] }] } };

/**
 * Requires a session that began less than ten minutes ago, by the database's clock: 403 if not, and for named tokens.
 * It is the proof of identity where there is no password to ask for.
 */
export async function requireFreshSession({ token: { _id, kind } }: Caller): Promise<void> {
  const fresh = kind === 'session' && (await tokens.findOne({ _id, kind, ...isFresh }, { projection: { _id: 1 } }));
  if (!fresh) throw freshSignInRequired();
}

/** Whether the caller's session was begun with a passkey less than ten minutes ago: that is both factors in one. */
export async function hasJustUsedPasskey({ token: { _id, kind } }: Caller): Promise<boolean> {
  if (kind !== 'session') return false;
  return (await tokens.findOne({ _id, kind, by_passkey: true, ...isFresh }, { projection: { _id: 1 } })) !== null;
}
