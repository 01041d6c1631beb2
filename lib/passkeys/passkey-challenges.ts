import { randomBytes } from 'node:crypto';
import { isObject } from 'chat-service-rules/objects';
import type { ObjectId } from 'mongodb';
import { about, type Parameter } from '../api/parameters.ts';
import { permissionDenied, type Refusal } from '../base/errors.ts';
import { passkeyChallenges } from '../collections/accounts/passkey-challenges.ts';
import { unexpiredWithin } from '../collections/accounts/tokens.ts';
import { insertWithTimes } from '../database/writes.ts';
import { hashToken } from '../identity/authenticate.ts';
import { config } from '../settings/config.ts';

/*
 * What authenticators sign (WebAuthn, https://www.w3.org/TR/webauthn-3/). Each challenge is answered once, within five
 * minutes; one for a new passkey by the account that has asked for it.
 */

export const passkeysUnavailable: Refusal = () =>
  permissionDenied('passkeys_unavailable', 'Passkeys are not used here: GET /api/passkeys says why.');
export const challengeExpired: Refusal = () =>
  permissionDenied('passkey_expired', 'This took more than five minutes, or was completed before. Start again.');

/** The site that passkeys are made for, by the service's own address: 403 where there can be none. */
export function requireSite(): { id: string; origin: string } {
  const { id, origin } = config.passkeys;
  if (id === undefined) throw passkeysUnavailable();
  return { id, origin };
}

/** Bytes that a browser has sent, in base64url, of so many characters at most. */
export const base64url = (most: number): Parameter<string> => {
  const pattern = `^[A-Za-z0-9_-]{1,${most}}$`;
  const isRight = new RegExp(pattern);
  return {
    read: (sent) => (typeof sent === 'string' && isRight.test(sent) ? sent : undefined),
    rule: `be base64url of at most ${most} characters`,
    schema: { type: 'string', pattern },
  };
};

// The longest id of a credential has 1,023 bytes.
export const credentialId = about('The id of the credential, `rawId`, in base64url.', base64url(1_364));
export const clientData = about('`response.clientDataJSON` of the browser, in base64url.', base64url(4_096));

/** The user handle that authenticators keep beside a passkey: it tells nothing but which account is meant. */
export const userHandleOf = (user: ObjectId): string => Buffer.from(user.toHexString(), 'hex').toString('base64url');

/** Makes a challenge, 256 bits in base64url, for a sign-in or for a new passkey of an account. */
export async function beginChallenge(account?: { user: ObjectId; generation: number }): Promise<string> {
  const challenge = randomBytes(32).toString('base64url');
  const document = { _id: hashToken(challenge), ...(account && { account }) };
  await insertWithTimes(passkeyChallenges, document, { expires_at: { $add: ['$$NOW', validFor] } });
  return challenge;
}

/**
 * Takes the challenge that was answered, which works once: 403 if there is none, for a sign-in or for this account. Of
 * several requests at the same moment, one gets it.
 */
export async function takeChallenge(sent: string, user?: ObjectId) {
  const challenge = challengeIn(sent);
  const taken =
    challenge !== undefined &&
    (await passkeyChallenges.findOneAndDelete({
      _id: hashToken(challenge),
      ...(user ? { 'account.user': user } : { account: { $exists: false } }),
      ...unexpiredWithin(validFor),
    }));
  if (!taken) throw challengeExpired();
  return { challenge, generation: taken.account?.generation ?? 0 };
}

function challengeIn(sent: string): string | undefined {
  try {
    const read: unknown = JSON.parse(Buffer.from(sent, 'base64url').toString());
    return isObject(read) && typeof read.challenge === 'string' ? read.challenge : undefined;
  } catch {
    return undefined;
  }
}

/** Refuses what a page within a page of another site has asked for: nobody saw whose passkey they use. */
export function requireOwnPage(sent: string): void {
  const { crossOrigin } = JSON.parse(Buffer.from(sent, 'base64url').toString()) as { crossOrigin?: unknown };
  if (crossOrigin === true) throw new Error('A page of another site contains the one that asked');
}

/** What was wrong with a passkey, for the log alone. */
export const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** For how many milliseconds a challenge can be answered. */
const validFor = 300_000;
