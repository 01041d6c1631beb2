import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { secretKeys } from '../settings/secret-keys.ts';

const algorithm = 'aes-256-gcm';
const nonceLength = 12;
const tagLength = 16;

/** Whether there is a key to encrypt with. */
export const canEncrypt = (): boolean => secretKeys().length > 0;

/** Encrypts bytes by the first key. `owner` is authenticated as well: nobody can move the result to another account. */
export function encrypt(bytes: Uint8Array, owner: string): string {
  const [key] = secretKeys();
  if (!key) throw new Error('SECRET_KEY is not set');
  const nonce = randomBytes(nonceLength);
  const cipher = createCipheriv(algorithm, key, nonce, { authTagLength: tagLength }).setAAD(Buffer.from(owner));
  const encrypted = Buffer.concat([cipher.update(bytes), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), encrypted]).toString('base64');
}

/** Decrypts what one of the keys has encrypted for this owner, and tells whether it was not the first; undefined if none has. */
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
    return undefined; // It is of another key, or of another account.
  }
}
