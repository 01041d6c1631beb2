import type { AttestationObject } from '@simplewebauthn/server/helpers';
import type { ObjectId } from 'mongodb';
import { about, optional, type Parameter, type Values, withDefault } from '../api/parameters.ts';
import { aText, described, listOf, record, type Schema, type Shown } from '../api/schema.ts';
import { conflict, permissionDenied, type Refusal, tooManyRequests, unauthenticated } from '../base/errors.ts';
import { log } from '../base/log.ts';
import { passkeys } from '../collections/accounts/passkeys.ts';
import { users } from '../collections/accounts/users.ts';
import { currentPassword, requireCurrentPassword, wrongCurrentPassword } from '../credentials/current-password.ts';
import { freshSignInRequired } from '../credentials/fresh-sessions.ts';
import { countPasskeys, mostPasskeys } from '../credentials/passkey-removal.ts';
import { duplicateIn } from '../database/failures.ts';
import { insertWithTimes } from '../database/writes.ts';
import { type Caller, unscopedTokenRequired } from '../identity/caller.ts';
import { secondFactorCode } from '../second-factor/codes.ts';
import { requireCodeIfOn, wrongSecondFactor } from '../second-factor/proof.ts';
import { config } from '../settings/config.ts';
import {
  base64url,
  beginChallenge,
  challengeExpired,
  clientData,
  credentialId,
  passkeysUnavailable,
  reasonOf,
  requireOwnPage,
  requireSite,
  takeChallenge,
  userHandleOf,
} from './passkey-challenges.ts';
import { newName, type Passkey, shownPasskey } from './passkeys.ts';

const anInteger: Schema<number> = { type: 'integer' };

/**
 * The options for a new passkey. Each field except `exclude` is one of
 * `PublicKeyCredentialCreationOptions`.
 */
export const newPasskeySchema = record('NewPasskey', {
  challenge: described('The `challenge`, in base64url; it is answered once, within five minutes.', aText),
  rp_id: described('The `rp.id`: the name of the site.', aText),
  rp_name: described('The `rp.name`.', aText),
  user_handle: described('The `user.id`, in base64url.', aText),
  username: described('The `user.name`.', aText),
  display_name: described('The `user.displayName`.', aText),
  algorithms: described('The algorithms of keys, for `pubKeyCredParams`, the best first.', listOf(anInteger)),
  exclude: described(
    'The existing passkeys, for `excludeCredentials`: an authenticator with one of them creates no other.',
    listOf(
      record('PasskeyReference', {
        credential: described('The id of the credential, in base64url.', aText),
        transports: described('The ways in which browsers reach the authenticator.', listOf(aText)),
      }),
    ),
  ),
});

const transportPattern = '^[a-z-]{1,20}$';
const isTransport = new RegExp(transportPattern);
const transports: Parameter<string[]> = {
  read: (sent) => {
    const isRight =
      Array.isArray(sent) && sent.length <= 10 && sent.every((one) => typeof one === 'string' && isTransport.test(one));
    return isRight ? [...new Set<string>(sent)] : undefined;
  },
  rule: 'be a list of at most 10 transports, such as internal',
  schema: { type: 'array', maxItems: 10, items: { type: 'string', pattern: transportPattern } },
};

/** The parameters to start and to add a passkey. */
export const beginning = {
  current_password: currentPassword,
  code: about(
    'A code of the second factor, if it is on, unless the session began with a passkey less than ten minutes ago.',
    optional(secondFactorCode),
  ),
};
export const addition = {
  name: newName,
  credential: credentialId,
  client_data: clientData,
  attestation: about('`response.attestationObject` of the authenticator, in base64url.', base64url(4_096)),
  transports: about('The result of `response.getTransports()`.', withDefault(transports, [])),
};

const tooManyPasskeys: Refusal = () => conflict('too_many_passkeys', 'The account has too many passkeys: remove one first.');
const passkeyExists: Refusal = () => conflict('passkey_exists', 'This passkey was added already.');
const passkeyRefused: Refusal = () =>
  permissionDenied('passkey_refused', 'The passkey is not for this service, or its authenticator did not verify the user.');

export const beginningRefusals = [
  unscopedTokenRequired,
  passkeysUnavailable,
  wrongCurrentPassword,
  wrongSecondFactor,
  freshSignInRequired,
  tooManyPasskeys,
  tooManyRequests,
];
export const additionRefusals = [
  unscopedTokenRequired,
  passkeysUnavailable,
  challengeExpired,
  passkeyRefused,
  passkeyExists,
  tooManyPasskeys,
];

// EdDSA, ECDSA with P-256 and RSA, by their COSE numbers. Every authenticator supports one of them.
const algorithms = [-8, -7, -257];

/**
 * Starts a new passkey of the caller, who must prove again to own the account. Nothing changes
 * until it is added.
 */
export async function beginPasskey(
  { current_password, code }: Values<typeof beginning>,
  caller: Caller,
): Promise<Shown<typeof newPasskeySchema>> {
  const site = requireSite();
  await requireCurrentPassword(current_password, caller);
  // Otherwise a passkey, which signs in without a code, would bypass the second factor.
  await requireCodeIfOn(code, caller);
  const { _id: user, username, name = username } = caller.user;
  const [generation, own] = await Promise.all([
    generationOf(user),
    passkeys.find({ user }, { projection: { credential: 1, transports: 1 }, limit: mostPasskeys }).toArray(),
  ]);
  if (generation === undefined) throw unauthenticated();
  if (own.length >= mostPasskeys) throw tooManyPasskeys();
  return {
    challenge: await beginChallenge({ user, generation }),
    rp_id: site.id,
    rp_name: config.brandName,
    user_handle: userHandleOf(user),
    username,
    display_name: name,
    algorithms,
    exclude: own.map(({ credential, transports }) => ({ credential, transports })),
  };
}

/**
 * Adds a passkey that an authenticator has created for the caller. Throws 403 if it was not started
 * here, or if its proof is invalid.
 */
export async function addPasskey(
  { name, credential, client_data, attestation, transports }: Values<typeof addition>,
  { user: { _id: user } }: Caller,
): Promise<Passkey> {
  const site = requireSite();
  const { challenge, generation } = await takeChallenge(client_data, user);
  const made = await verify({ credential, client_data, attestation }, challenge, site).catch((error) => {
    log('info', 'security', { event: 'passkey refused', by: user.toHexString(), what: reasonOf(error) });
    throw passkeyRefused();
  });
  const document = { user, credential, ...made, transports, name, generation, last_used_at: null };
  const stored = await insertWithTimes(passkeys, document, { created_at: '$$NOW' }).catch((error) => {
    throw duplicateIn(error) === 'credential' ? passkeyExists() : error;
  });
  const refusal = await refusalAfter(user, generation);
  if (refusal) {
    await passkeys.deleteMany({ _id: stored._id });
    throw refusal;
  }
  return shownPasskey.show(stored);
}

type Sent = { credential: string; client_data: string; attestation: string };

/** Verifies a new passkey. Throws with a reason for the log only. */
async function verify(
  { credential: id, client_data, attestation }: Sent,
  expectedChallenge: string,
  site: { id: string; origin: string },
) {
  requireOwnPage(client_data);
  // Most processes verify no passkey, and the library takes a tenth of the start time.
  const [{ verifyRegistrationResponse }, { decodeAttestationObject }] = await Promise.all([
    import('@simplewebauthn/server'),
    import('@simplewebauthn/server/helpers'),
  ]);
  requireNoCertificates(decodeAttestationObject(new Uint8Array(Buffer.from(attestation, 'base64url'))));
  const { registrationInfo } = await verifyRegistrationResponse({
    response: {
      id,
      rawId: id,
      type: 'public-key',
      response: { clientDataJSON: client_data, attestationObject: attestation },
      clientExtensionResults: {},
    },
    expectedChallenge,
    expectedOrigin: site.origin,
    expectedRPID: site.id,
    requireUserVerification: true,
    supportedAlgorithmIDs: algorithms,
  });
  if (registrationInfo?.credential.id !== id) throw new Error('The attestation is not one of this credential');
  const { credential, credentialBackedUp: is_backed_up } = registrationInfo;
  return { public_key: Buffer.from(credential.publicKey).toString('base64url'), counter: credential.counter, is_backed_up };
}

/**
 * Rejects an attestation with certificates, which the service does not request. Callers can send
 * long chains of invented certificates, with addresses that a verifier would request.
 */
function requireNoCertificates(decoded: AttestationObject): void {
  const [format, statement] = [decoded.get('fmt'), decoded.get('attStmt')];
  if (format !== 'none' && !(format === 'packed' && statement.get('x5c') === undefined))
    throw new Error(`The attestation is of the format ${format}, or has certificates`);
}

/**
 * The reason why a passkey that was just stored must be removed. It is counted after it was stored,
 * so that concurrent requests cannot exceed the limit. It is also removed if a reset or the end of
 * the account came in between.
 */
async function refusalAfter(user: ObjectId, generation: number) {
  const [current, count] = await Promise.all([generationOf(user), countPasskeys(user)]);
  if (current !== generation) return challengeExpired();
  return count > mostPasskeys ? tooManyPasskeys() : undefined;
}

/** The generation of an account's passkeys; undefined if the account does not exist. */
async function generationOf(_id: ObjectId): Promise<number | undefined> {
  const user = await users.findOne({ _id }, { projection: { passkey_generation: 1 } });
  return user ? (user.passkey_generation ?? 0) : undefined;
}
