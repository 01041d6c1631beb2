import { randomBytes } from 'node:crypto';
import { isObject, parseJson } from 'chat-service-rules/objects';
import type { ObjectId } from 'mongodb';
import { about, type Parameter } from '../api/parameters.ts';
import { permissionDenied, type Refusal } from '../base/errors.ts';
import { passkeyChallenges } from '../collections/accounts/passkey-challenges.ts';
import { unexpiredWithin } from '../collections/accounts/tokens.ts';
import { insertWithTimes } from '../database/writes.ts';
import { hashToken } from '../identity/authenticate.ts';
import { config } from '../settings/config.ts';

/*
 * Challenges that authenticators sign (WebAuthn, https://www.w3.org/TR/webauthn-3/). Each can be
 * used once, within five minutes. Only the account that requested a challenge for a new passkey can
 * use it.
 */

export const passkeysUnavailable: Refusal = () =>
  permissionDenied('passkeys_unavailable', 'Passkeys are not available: GET /api/passkeys has the reason.');
export const challengeExpired: Refusal = () =>
  permissionDenied('passkey_expired', 'This took more than five minutes, or was completed before. Start again.');

/** The site of passkeys, from the service's own address; 403 if passkeys are not available. */
export function requireSite(): { id: string; origin: string } {
  const { id, origin } = config.passkeys;
  if (id === undefined) throw passkeysUnavailable();
  return { id, origin };
}

/** Base64url with at most this many characters. */
export const base64url = (most: number): Parameter<string> => {
  const pattern = `^[A-Za-z0-9_-]{1,${most}}$`;
  const isRight = new RegExp(pattern);
  return {
    read: (sent) => (typeof sent === 'string' && isRight.test(sent) ? sent : undefined),
    rule: `be base64url of at most ${most} characters`,
    schema: { type: 'string', pattern },
  };
};

// A credential id has at most 1,023 bytes.
export const credentialId = about('The id of the credential, `rawId`, in base64url.', base64url(1_364));
export const clientData = about('`response.clientDataJSON` of the browser, in base64url.', base64url(4_096));

/** The user handle that authenticators store with a passkey. It reveals only the account. */
export const userHandleOf = (user: ObjectId): string => Buffer.from(user.toHexString(), 'hex').toString('base64url');

/** Creates a challenge, 256 bits in base64url, for a sign-in or for a new passkey of an account. */
export async function beginChallenge(account?: { user: ObjectId; generation: number }): Promise<string> {
  const challenge = randomBytes(32).toString('base64url');
  const document = { _id: hashToken(challenge), ...(account && { account }) };
  await insertWithTimes(passkeyChallenges, document, { expires_at: { $add: ['$$NOW', validForMs] } });
  return challenge;
}

/**
 * Consumes a challenge; 403 if it does not exist for a sign-in or for this account. Of several
 * concurrent requests, one succeeds.
 */
export async function takeChallenge(sent: string, user?: ObjectId) {
  const challenge = challengeIn(sent);
  const taken =
    challenge !== undefined &&
    (await passkeyChallenges.findOneAndDelete({
      _id: hashToken(challenge),
      ...(user ? { 'account.user': user } : { account: { $exists: false } }),
      ...unexpiredWithin(validForMs),
    }));
  if (!taken) throw challengeExpired();
  return { challenge, generation: taken.account?.generation ?? 0 };
}

function challengeIn(sent: string): string | undefined {
  const read = parseJson(Buffer.from(sent, 'base64url').toString());
  return isObject(read) && typeof read.challenge === 'string' ? read.challenge : undefined;
}

/**
 * Rejects a request from a page that is embedded in another site: users could not see whose passkey
 * they use.
 */
export function requireOwnPage(sent: string): void {
  const { crossOrigin } = JSON.parse(Buffer.from(sent, 'base64url').toString()) as { crossOrigin?: unknown };
  if (crossOrigin === true) throw new Error('A page of another site contains the one that asked');
}

/** The reason why a passkey was rejected, for the log only. */
export const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** The lifetime of a challenge. */
const validForMs = 300_000;
