import type { Scope } from '../api/scopes.ts';
import { log } from '../base/log.ts';
import { type TokenDocument, tokens, unexpired } from '../collections/accounts/tokens.ts';
import { users } from '../collections/accounts/users.ts';
import { retryContended } from '../database/engines.ts';
import { hashToken } from '../identity/authenticate.ts';
import { deleteToken, randomToken } from '../identity/tokens.ts';
import { isKnownApp } from './apps.ts';
import { oauthError } from './errors.ts';

/*
 * The grant of an app is one document of `tokens`. Its access token and its refresh token are
 * replaced by one atomic update, so that of two concurrent refreshes one succeeds.
 */

const accessSeconds = 3_600;
/** An app that is not used for so long has to ask again. */
const grantDays = 30;

/** The ends of an access token and of a grant, by the database's clock. */
export const accessEnd = { $add: ['$$NOW', accessSeconds * 1_000] };
export const grantEnd = { $add: ['$$NOW', grantDays * 86_400_000] };

/** The answer of the token endpoint (RFC 6749, 5.1). */
export type IssuedTokens = {
  access_token: string;
  token_type: 'Bearer';
  expires_in: number;
  refresh_token: string;
  scope: string;
};

export const issued = (access: string, refresh: string, scopes: readonly Scope[]): IssuedTokens => ({
  access_token: access,
  token_type: 'Bearer',
  expires_in: accessSeconds,
  refresh_token: refresh,
  scope: scopes.join(' '),
});

export const refreshInvalid = () =>
  oauthError('invalid_grant', 'The refresh token is invalid, has expired, was already used or was revoked.');

type Refresh = { refresh_token: string; client_id: string; scope: string | undefined; resource: string | undefined };

/**
 * Replaces the tokens of a grant. A refresh token has two halves: one for the whole grant, one for
 * this token alone. With the first and an earlier second half, it was used before, and somebody has
 * a copy: the grant ends (RFC 9700, 4.14.2). Without the first half, nobody can end the grants of
 * others.
 */
export async function refreshGrant({ refresh_token, client_id, scope, resource }: Refresh): Promise<IssuedTokens> {
  const halves = halvesOf(refresh_token);
  const grant = halves && (await tokens.findOne({ 'app.family': halves.family, ...unexpired }));
  if (!halves || !grant?.app || grant.app.client_id !== client_id) throw refreshInvalid();
  requireSameRequest(grant, scope, resource);
  const isActive = await users.findOne({ _id: grant.user, is_active: true }, { projection: { _id: 1 } });
  if (!isActive || !(await isKnownApp(client_id))) throw refreshInvalid();
  const [access, refresh] = [randomToken(), randomToken()];
  const replacement = {
    hash: { $literal: Buffer.from(hashToken(access), 'hex') },
    hint: { $literal: access.slice(-4) },
    'app.refresh': hashToken(refresh),
    access_expires_at: accessEnd,
    expires_at: grantEnd,
  };
  const latest = { _id: grant._id, 'app.refresh': halves.refresh, ...unexpired };
  const replaced = await retryContended(() => tokens.updateOne(latest, [{ $set: replacement }]));
  if (replaced.matchedCount === 0) {
    await deleteToken({ _id: grant._id });
    log('info', 'security', { event: 'refresh token of an app used twice', whom: grant.user.toHexString(), what: client_id });
    throw refreshInvalid();
  }
  return issued(access, halves.familyText + refresh, grant.scopes);
}

function requireSameRequest({ scopes, app }: Pick<TokenDocument, 'scopes' | 'app'>, scope?: string, resource?: string): void {
  const isWithin = (scope ?? '').split(' ').every((one) => one === '' || scopes.some((has) => has === one));
  if (!isWithin) throw oauthError('invalid_scope', 'The scope exceeds the one that the user allowed.');
  if (resource !== undefined && resource !== app?.resource)
    throw oauthError('invalid_target', 'The resource differs from the one that the user allowed.');
}

function halvesOf(text: string): { familyText: string; family: string; refresh: string } | undefined {
  const [, familyText, refresh] = /^([a-z0-9]{32})([a-z0-9]{32})$/.exec(text) ?? [];
  return familyText && refresh ? { familyText, family: hashToken(familyText), refresh: hashToken(refresh) } : undefined;
}

/**
 * Ends the grant of an access or refresh token (RFC 7009). An unknown token, and that of another
 * app, is not an error: the app does not have access by it.
 */
export async function revokeGrant(token: string, clientId: string): Promise<void> {
  const halves = halvesOf(token);
  const which = halves ? { 'app.family': halves.family } : { hash: Buffer.from(hashToken(token), 'hex') };
  const grant = await tokens.findOne({ ...which, 'app.client_id': clientId }, { projection: { user: 1 } });
  if (!grant || !(await deleteToken({ _id: grant._id }))) return;
  log('info', 'security', { event: 'app disconnected', whom: grant.user.toHexString(), what: clientId });
}
