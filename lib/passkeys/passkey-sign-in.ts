import { about, optional, type Values } from '../api/parameters.ts';
import { aText, described, record, type Shown } from '../api/schema.ts';
import { type Refusal, tooManyRequests, unauthenticated } from '../base/errors.ts';
import { log } from '../base/log.ts';
import { type PasskeyDocument, passkeys } from '../collections/accounts/passkeys.ts';
import { type UserDocument, users } from '../collections/accounts/users.ts';
import { countSignIn } from '../credentials/anonymous-limits.ts';
import { noSuchSession, noteProof } from '../credentials/fresh-sessions.ts';
import { rememberAddress } from '../credentials/login-limits.ts';
import { accountDeactivated, createSession, type NewSession } from '../credentials/sessions.ts';
import type { Caller } from '../identity/caller.ts';
import { shownUser } from '../identity/users.ts';
import { loginName, namesAccount } from '../sign-in/login-names.ts';
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

/**
 * The browser's request for a passkey. Each field is one of `PublicKeyCredentialRequestOptions`.
 */
export const passkeyChallengeSchema = record('PasskeyChallenge', {
  challenge: described('The `challenge`, in base64url; it is answered once, within five minutes.', aText),
  rp_id: described('The `rpId`: the name of the site.', aText),
});

/** The proof of a passkey. */
export const proof = {
  credential: credentialId,
  client_data: clientData,
  authenticator_data: about('`response.authenticatorData` of the authenticator, in base64url.', base64url(4_096)),
  signature: about('Its signature, `response.signature`, in base64url.', base64url(2_048)),
  user_handle: about('The `response.userHandle`, in base64url.', base64url(86)),
};
export const assertion = {
  ...proof,
  username: about(
    'The username or e-mail address of the account, if known, for example after its password. A passkey of another account is then refused.',
    optional(loginName),
  ),
};

export const wrongPasskey: Refusal = () =>
  unauthenticated('This passkey does not work here: it was removed, or belongs to another service.', 'wrong_passkey');

/** 401: the passkey is a right one, of another account than the one that was named. */
export const passkeyOfAnother: Refusal = () =>
  unauthenticated('This passkey belongs to another account than the one that is signing in.', 'passkey_of_another');

export const beginningRefusals = [passkeysUnavailable, tooManyRequests];
export const signInRefusals = [passkeysUnavailable, challengeExpired, wrongPasskey, passkeyOfAnother, accountDeactivated];
export const proofRefusals = [...signInRefusals, noSuchSession];

/**
 * Begins a sign-in with a passkey: the browser asks which one, so that no account is named before.
 */
export async function beginSignIn(source: string): Promise<Shown<typeof passkeyChallengeSchema>> {
  const { id } = requireSite();
  await countSignIn(source);
  return { challenge: await beginChallenge(), rp_id: id };
}

/**
 * Starts a session for the owner of a passkey. The authenticator has recognised the owner, so no
 * password or code is required.
 *
 * Throws 401 for an unknown passkey, a wrong signature, or a passkey of another account than the
 * given one. The last case is reported only after the proof, so only to the owner of that account.
 */
export async function signInByPasskey(
  sent: Values<typeof assertion>,
  { source, agent }: { source: string; agent: string | undefined },
): Promise<NewSession> {
  const user = await provePasskey(sent, source, ({ username }, owner) => username === undefined || namesAccount(username, owner));
  return beginSession(user, source, agent);
}

/**
 * Confirms for ten minutes, with a passkey of the caller's account, that its owner uses this
 * session.
 */
export async function confirmByPasskey(sent: Values<typeof proof>, source: string, caller: Caller): Promise<void> {
  if (caller.token.kind !== 'session') throw noSuchSession();
  await provePasskey(sent, source, (_, { _id }) => _id.equals(caller.user._id));
  await noteProof(caller, { by: 'passkey' });
}

/**
 * The owner of a passkey that signed a challenge of a sign-in, if it is the account that is meant;
 * 401 if not.
 */
async function provePasskey<Sent extends Values<typeof proof>>(
  sent: Sent,
  source: string,
  isMeant: (sent: Sent, owner: UserDocument) => boolean,
): Promise<UserDocument> {
  const site = requireSite();
  const { challenge } = await takeChallenge(sent.client_data);
  const refuse = (event: string, more: object) => {
    log('info', 'security', { event, ...more, source });
    return wrongPasskey();
  };
  const passkey = await passkeys.findOne({ credential: sent.credential });
  // Read before anything is proven: if sessions or passkeys are ended meanwhile, so is the session
  // that begins here.
  const user = passkey && (await users.findOne({ _id: passkey.user }));
  if (!user || passkey.generation !== (user.passkey_generation ?? 0)) throw refuse('unknown passkey', {});
  const whom = user._id.toHexString();
  const proven = await verify(sent, passkey, challenge, site).catch((error) => {
    throw refuse('wrong passkey', { whom, what: reasonOf(error) });
  });
  if (!isMeant(sent, user)) {
    log('info', 'security', { event: 'passkey of another account', whom, source });
    throw passkeyOfAnother();
  }
  if (!user.is_active) throw accountDeactivated();
  if (!(await noteUse(passkey, proven)))
    throw refuse('passkey removed, or its counter went back', { whom, what: passkey._id.toHexString() });
  return user;
}

/**
 * Verifies that a passkey signed the challenge for this site, after its authenticator has
 * recognised its owner.
 */
async function verify(
  { credential: id, client_data, authenticator_data, signature, user_handle }: Values<typeof proof>,
  { user, public_key }: PasskeyDocument,
  expectedChallenge: string,
  site: { id: string; origin: string },
) {
  requireOwnPage(client_data);
  if (user_handle !== userHandleOf(user)) throw new Error('The user handle is that of another account');
  const { verifyAuthenticationResponse } = await import('@simplewebauthn/server');
  const { verified, authenticationInfo } = await verifyAuthenticationResponse({
    response: {
      id,
      rawId: id,
      type: 'public-key',
      response: { clientDataJSON: client_data, authenticatorData: authenticator_data, signature, userHandle: user_handle },
      clientExtensionResults: {},
    },
    expectedChallenge,
    expectedOrigin: site.origin,
    expectedRPID: site.id,
    requireUserVerification: true,
    // The counter is compared where it is stored.
    credential: { id, publicKey: new Uint8Array(Buffer.from(public_key, 'base64url')), counter: 0 },
  });
  if (!verified) throw new Error('The signature is not one of this passkey');
  return { counter: authenticationInfo.newCounter, is_backed_up: authenticationInfo.credentialBackedUp };
}

/**
 * Records the use of a passkey that still exists, and returns whether its counter increased. A
 * counter that does not increase shows a copy of the key. An authenticator without a counter always
 * sends 0. One atomic update decides.
 */
async function noteUse({ _id }: PasskeyDocument, { counter, is_backed_up }: { counter: number; is_backed_up: boolean }) {
  const { matchedCount } = await passkeys.updateOne(
    { _id, counter: counter === 0 ? 0 : { $lt: counter } },
    { $set: { counter, is_backed_up }, $currentDate: { last_used_at: true } },
  );
  return matchedCount === 1;
}

async function beginSession(user: UserDocument, source: string, agent: string | undefined): Promise<NewSession> {
  const [session] = await Promise.all([
    createSession(user, agent, { by_passkey: true }, wrongPasskey),
    rememberAddress(user._id.toHexString(), source),
  ]);
  return { ...session, user: shownUser.show(user) };
}
