import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { secretKeys } from '../settings/secret-keys.ts';

const algorithm = 'aes-256-gcm';
const nonceLength = 12;
const tagLength = 16;

/** Returns true if `SECRET_KEY` is set. */
export const canEncrypt = (): boolean => secretKeys().length > 0;

/**
 * Encrypts bytes with the first key. `owner` is authenticated too, so that the result is useless
 * for another account.
 */
export function encrypt(bytes: Uint8Array, owner: string): string {
  const [key] = secretKeys();
  if (!key) throw new Error('SECRET_KEY is not set');
  const nonce = randomBytes(nonceLength);
  const cipher = createCipheriv(algorithm, key, nonce, { authTagLength: tagLength }).setAAD(Buffer.from(owner));
  const encrypted = Buffer.concat([cipher.update(bytes), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), encrypted]).toString('base64');
}

/**
 * Decrypts a text that one of the keys encrypted for this owner; undefined if none did. `isOld` if
 * it was not the first key.
 */
export function decrypt(text: string, owner: string): { bytes: Buffer; isOld: boolean } | undefined {
  for (const [index, key] of secretKeys().entries()) {
    const bytes = decryptBy(key, Buffer.from(text, 'base64'), owner);
    if (bytes) return { bytes, isOld: index > 0 };
  }
  return undefined;
}

function decryptBy(key: Buffer, bytes: Buffer, owner: string): Buffer | undefined {
  try {
    const decipher = createDecipheriv(algorithm, key, bytes.subarray(0, nonceLength), { authTagLength: tagLength })
      .setAAD(Buffer.from(owner))
      .setAuthTag(bytes.subarray(nonceLength, nonceLength + tagLength));
    return Buffer.concat([decipher.update(bytes.subarray(nonceLength + tagLength)), decipher.final()]);
  } catch {
    return undefined; // It was encrypted with another key, or for another account.
  }
}
