import { recall, remember } from '../device/storage.ts';
import { laterStrings } from '../i18n/strings-later.ts';
import { ask, chat, Failure } from '../service/api.ts';
import { settings } from '../service/settings.ts';
import { keepsCookies } from './session.ts';
import { enter } from './sign-in.ts';

/* Passkey requests between the service and the browser (WebAuthn). */

/** True if this browser supports passkeys and they work at this page's address. */
export const arePasskeysUsed = (): boolean => settings.passkeys === location.origin && 'PublicKeyCredential' in window;

const toBytes = (text: string) =>
  Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (character) => character.charCodeAt(0));

const fromBytes = (bytes: ArrayBuffer) =>
  btoa(String.fromCharCode(...new Uint8Array(bytes)))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');

const type = 'public-key';
const timeout = 300_000;
const userVerification = 'required';

/**
 * Has a device make a passkey for the account, and adds it; throws a `Failure` that says why not.
 */
export async function addPasskey(proof: { current_password?: string; code?: string }): Promise<void> {
  const asked = await inWords(ask(chat.POST('/api/passkeys', { body: proof })));
  const made = await inWords(
    navigator.credentials.create({
      publicKey: {
        challenge: toBytes(asked.challenge),
        rp: { id: asked.rp_id, name: asked.rp_name },
        user: { id: toBytes(asked.user_handle), name: asked.username, displayName: asked.display_name },
        pubKeyCredParams: asked.algorithms.map((alg) => ({ type, alg })),
        excludeCredentials: asked.exclude.map(({ credential, transports }) => ({
          type,
          id: toBytes(credential),
          transports: transports as AuthenticatorTransport[],
        })),
        authenticatorSelection: { residentKey: 'required', requireResidentKey: true, userVerification },
        attestation: 'none',
        timeout,
      },
    }),
  );
  const { rawId, response, authenticatorAttachment } = made as PublicKeyCredential;
  const { clientDataJSON, attestationObject, getTransports } = response as AuthenticatorAttestationResponse;
  const body = {
    name: (authenticatorAttachment === 'platform' && deviceName()) || laterStrings.passkeys.one,
    credential: fromBytes(rawId),
    client_data: fromBytes(clientDataJSON),
    attestation: fromBytes(attestationObject),
    transports: getTransports?.call(response) ?? [],
  };
  await inWords(ask(chat.PUT('/api/passkeys', { body })));
  remember(usedHere, 'yes');
}

/** The platform of this browser, as its people call it. */
const deviceName = (): string | undefined =>
  /iPhone|iPad|Android|Windows|Mac|CrOS|Linux(?!; Android)/.exec(navigator.userAgent)?.[0];

/**
 * Signs in with a passkey that the user picks in the browser: of `username`, or of any account.
 * Throws a `Failure` with the reason.
 */
export const signInByPasskey = (username?: string): Promise<void> => signInAs({}, username);

/**
 * Lets the browser suggest passkeys in the username field until `signal` aborts, if it has used one
 * here before. Other browsers are not asked. Returns whether somebody signed in with a passkey of
 * `username`, or of any account. Throws a `Failure` with the reason.
 */
export async function suggestPasskeys(signal: AbortSignal, username?: string): Promise<boolean> {
  if (!recall(usedHere) || !(await window.PublicKeyCredential?.isConditionalMediationAvailable?.())) return false;
  // A challenge is valid for five minutes. After an hour, the open page is probably not about to
  // sign in.
  for (let turn = 0; turn < 15 && !signal.aborted; turn++) {
    const ending = AbortSignal.any([signal, AbortSignal.timeout(timeout - 60_000)]);
    try {
      await signInAs({ mediation: 'conditional', signal: ending }, username);
      return true;
    } catch (failure) {
      if (!ending.aborted) throw failure;
    }
  }
  return false;
}

async function signInAs(options: CredentialRequestOptions, username?: string): Promise<void> {
  const body = { ...(await askDevice(options)), cookie: keepsCookies(), ...(username && { username }) };
  enter(await inWords(ask(chat.PUT('/api/passkey-sessions', { body }))));
  remember(usedHere, 'yes');
}

/** Confirms the user's identity with a passkey; throws a `Failure` that says why not. */
export async function confirmByPasskey(): Promise<void> {
  const body = await askDevice({});
  await inWords(ask(chat.PATCH('/api/passkey-sessions', { body })));
}

/** Has a device sign a challenge with a passkey. */
async function askDevice(options: CredentialRequestOptions) {
  const { challenge, rp_id: rpId } = await inWords(ask(chat.POST('/api/passkey-sessions', { body: {} })));
  const publicKey = { challenge: toBytes(challenge), rpId, userVerification, timeout } as const;
  const got = await inWords(navigator.credentials.get({ publicKey, ...options }));
  const { rawId, response } = got as PublicKeyCredential;
  const { clientDataJSON, authenticatorData, signature, userHandle } = response as AuthenticatorAssertionResponse;
  return {
    credential: fromBytes(rawId),
    client_data: fromBytes(clientDataJSON),
    authenticator_data: fromBytes(authenticatorData),
    signature: fromBytes(signature),
    user_handle: fromBytes(userHandle ?? new ArrayBuffer(0)),
  };
}

/** The key that records that a passkey was used in this browser. */
const usedHere = 'chat-passkey';

/** Says what the service refused, or the browser, in words of the page's language. */
export async function inWords<T>(call: Promise<T>): Promise<T> {
  try {
    return await call;
  } catch (failure) {
    const refused: Partial<Record<string, string>> = laterStrings.passkeys.refused;
    if (!(failure instanceof Failure)) throw new Failure(0, refused[(failure as Error).name] ?? laterStrings.passkeys.failed);
    const said = refused[failure.code ?? ''];
    throw said === undefined ? failure : new Failure(failure.status, said, failure.retryAfter, failure.code);
  }
}
