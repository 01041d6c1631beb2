import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign as signWith } from 'node:crypto';
import { expect } from 'vitest';
import type { Account } from './accounts.ts';
import type { Call } from './transports.ts';

/*
 * A software authenticator (WebAuthn, https://www.w3.org/TR/webauthn-3/), which can also misbehave.
 */

/** The site of the tested service, as in `PUBLIC_URL`. */
export const site = { id: 'chat.example.org', origin: 'https://chat.example.org' };

/** The deviations of an authenticator and its browser from the standard. */
export type Deviation = {
  origin?: string;
  rpId?: string;
  type?: string;
  challenge?: string;
  crossOrigin?: boolean;
  /** The flags for a verified user and a present user. */
  isVerified?: boolean;
  isPresent?: boolean;
  counter?: number;
  userHandle?: string;
  /** The bytes that are signed instead. */
  signed?: Buffer;
  /** The attestation statement; omitted by default. */
  statement?: 'self' | 'certificate';
  algorithm?: keyof typeof keys;
  /** The id of the credential, in base64url. */
  id?: string;
};

/** A passkey on an authenticator. Its counter counts signatures, or remains 0. */
export type SoftPasskey = {
  id: string;
  userHandle: string;
  key: KeyObject;
  algorithm: keyof typeof keys;
  counter: number;
  counts: boolean;
};

const bytes = (value: Buffer) =>
  Buffer.concat([
    value.length < 256 ? Buffer.from([0x58, value.length]) : Buffer.from([0x59, value.length >> 8, value.length & 255]),
    value,
  ]);
const text = (value: string) => Buffer.concat([Buffer.from([0x60 + value.length]), Buffer.from(value)]);
const hex = (value: string) => Buffer.from(value, 'hex');
const part = (key: KeyObject, name: 'x' | 'y' | 'n') => Buffer.from(String(key.export({ format: 'jwk' })[name]), 'base64url');

/** The kinds of keys, each with its public key in COSE (RFC 9053). */
const keys = {
  ES256: {
    pair: () => generateKeyPairSync('ec', { namedCurve: 'P-256' }),
    cose: (key: KeyObject) =>
      Buffer.concat([hex('a50102032620012158'), hex('20'), part(key, 'x'), hex('225820'), part(key, 'y')]),
  },
  EdDSA: {
    pair: () => generateKeyPairSync('ed25519'),
    cose: (key: KeyObject) => Buffer.concat([hex('a4010103272006215820'), part(key, 'x')]),
  },
  RS256: {
    pair: () => generateKeyPairSync('rsa', { modulusLength: 2_048 }),
    cose: (key: KeyObject) => Buffer.concat([hex('a401030339010020'), bytes(part(key, 'n')), hex('2143010001')]),
  },
  // Curve P-384, which the service does not request.
  ES384: {
    pair: () => generateKeyPairSync('ec', { namedCurve: 'P-384' }),
    cose: (key: KeyObject) =>
      Buffer.concat([hex('a5010203382220022158'), hex('30'), part(key, 'x'), hex('225830'), part(key, 'y')]),
  },
} as const;

const sha256 = (value: string | Buffer) => createHash('sha256').update(value).digest();
const signed = (algorithm: keyof typeof keys, data: Buffer, key: KeyObject) =>
  signWith(algorithm === 'EdDSA' ? null : algorithm === 'ES384' ? 'sha384' : 'sha256', data, key);

function clientData(type: string, challenge: string, its: Deviation): Buffer {
  const { origin = site.origin, crossOrigin = false } = its;
  return Buffer.from(JSON.stringify({ type: its.type ?? type, challenge: its.challenge ?? challenge, origin, crossOrigin }));
}

function authenticatorData(counter: number, its: Deviation, made?: Buffer): Buffer {
  const { rpId = site.id, isVerified = true, isPresent = true } = its;
  const flags = (isPresent ? 1 : 0) + (isVerified ? 4 : 0) + 0x18 + (made ? 0x40 : 0);
  const count = Buffer.alloc(4);
  count.writeUInt32BE(its.counter ?? counter);
  return Buffer.concat([sha256(rpId), Buffer.from([flags]), count, made ?? Buffer.alloc(0)]);
}

/**
 * Creates a passkey as the service has requested. Returns the browser's request and the passkey.
 */
export function make(asked: { challenge: string; user_handle: string }, its: Deviation = {}, counts = false) {
  const { algorithm = 'ES256', statement } = its;
  const { publicKey, privateKey } = keys[algorithm].pair();
  const id = its.id === undefined ? randomBytes(16) : Buffer.from(its.id, 'base64url');
  const made = Buffer.concat([Buffer.alloc(16), Buffer.from([0, id.length]), id, keys[algorithm].cose(publicKey)]);
  const data = authenticatorData(counts ? 1 : 0, its, made);
  const client = clientData('webauthn.create', asked.challenge, its);
  const signature = signed(algorithm, Buffer.concat([data, sha256(client)]), privateKey);
  const proof = Buffer.concat([text('alg'), hex('26'), text('sig'), bytes(signature)]);
  const statements = {
    none: Buffer.concat([text('none'), text('attStmt'), hex('a0')]),
    self: Buffer.concat([text('packed'), text('attStmt'), hex('a2'), proof]),
    certificate: Buffer.concat([
      text('packed'),
      text('attStmt'),
      hex('a3'),
      proof,
      text('x5c'),
      hex('81'),
      bytes(randomBytes(32)),
    ]),
  };
  const attestation = Buffer.concat([hex('a3'), text('fmt'), statements[statement ?? 'none'], text('authData'), bytes(data)]);
  const passkey: SoftPasskey = {
    id: id.toString('base64url'),
    userHandle: asked.user_handle,
    key: privateKey,
    algorithm,
    counter: counts ? 1 : 0,
    counts,
  };
  const sent = {
    credential: passkey.id,
    client_data: client.toString('base64url'),
    attestation: attestation.toString('base64url'),
    transports: ['internal', 'hybrid'],
  };
  return { passkey, sent };
}

/** Signs a challenge with a passkey. Returns the browser's request. */
export function sign(passkey: SoftPasskey, challenge: string, its: Deviation = {}) {
  if (passkey.counts) passkey.counter++;
  const data = authenticatorData(passkey.counter, its);
  const client = clientData('webauthn.get', challenge, its);
  return {
    credential: passkey.id,
    client_data: client.toString('base64url'),
    authenticator_data: data.toString('base64url'),
    signature: signed(passkey.algorithm, its.signed ?? Buffer.concat([data, sha256(client)]), passkey.key).toString('base64url'),
    user_handle: its.userHandle ?? passkey.userHandle,
  };
}

/** Starts a passkey of an account, and returns the service's response. */
export async function beginPasskey(call: Call, { token, password }: Account, proof: { code?: string } = {}) {
  const sent = { current_password: password, ...proof };
  const { status, body } = await call('POST', '/api/passkeys', { token, body: sent });
  expect(status).toBe(201);
  return body as { challenge: string; user_handle: string; exclude: { credential: string }[] };
}

/** Adds a passkey to an account. Returns its id at the service, and the passkey. */
export async function addPasskey(call: Call, account: Account, its: Deviation = {}, counts = false) {
  const { passkey, sent } = make(await beginPasskey(call, account), its, counts);
  const { status, body } = await call('PUT', '/api/passkeys', { token: account.token, body: sent });
  expect(status).toBe(201);
  return { id: (body as { _id: { $oid: string } })._id.$oid, passkey };
}

/** Starts a sign-in, and returns its challenge. */
export async function beginSignIn(call: Call): Promise<string> {
  const { status, body } = await call('POST', '/api/passkey-sessions', { body: {} });
  expect(status).toBe(201);
  return (body as { challenge: string }).challenge;
}

/** Signs in with a passkey. */
export const signInWith = async (call: Call, passkey: SoftPasskey, its: Deviation = {}, more: object = {}) =>
  call('PUT', '/api/passkey-sessions', { body: { ...sign(passkey, await beginSignIn(call), its), ...more } });
