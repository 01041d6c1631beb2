import type { AuditAction } from '../audit/actions.ts';
import type { Act } from '../audit/append.ts';
import { isSessionFresh, proofRequired } from '../credentials/fresh-sessions.ts';
import type { Caller } from '../identity/caller.ts';

/**
 * Administrators' acts that need a proof of identity in the session in the last ten minutes.
 * Somebody who finds an open browser must not take over accounts, or lock out other administrators.
 * `endpoint()` enforces the list. A reset of another's second factor is missing, because that
 * operation requires the administrator's password itself.
 */
const provenActions: ReadonlySet<AuditAction> = new Set([
  'user.promoted',
  'user.demoted',
  'user.deactivated',
  'user.deleted',
  'user.email_changed',
  'user.password_changed',
  'user.code_created',
  'user.disconnected',
  'token.created',
]);

const needsProof = ({ action, target, details = {} }: Act, { user }: Caller): boolean =>
  // The deletion of the own account requires its password.
  (provenActions.has(action) && !(action === 'user.deleted' && target?.id?.equals(user._id))) ||
  (action === 'user.created' && details.administrator === 'true') ||
  // The owner of a bot can make tokens for it.
  (action === 'bot.changed' && details.owner !== undefined);

/**
 * Requires a recent proof for these acts: 403 without one. A named token needs none: its owner
 * proved their identity to create it, and programs have nobody to ask.
 */
export async function requireProof(acts: readonly Act[], caller: Caller): Promise<void> {
  if (caller.token.kind !== 'session' || !acts.some((act) => needsProof(act, caller))) return;
  if (!(await isSessionFresh(caller))) throw proofRequired();
}
