import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

/*
 * Time-based one-time passwords (RFC 6238) with the defaults of all authenticator apps: SHA-1, six
 * digits, 30 seconds.
 */

/** The lifetime of a code. */
const stepMs = 30_000;

/**
 * The number of accepted steps before and after the present one. Clocks of phones differ, and
 * people take time to type.
 */
const tolerance = 1;

/** A new secret, as long as the hash (RFC 4226, 4, R6). */
export const newSecret = (): Buffer => randomBytes(20);

/** The step of a time, which is in milliseconds. */
export const stepAt = (time: number): number => Math.floor(time / stepMs);

/** The code of a step. */
export function codeOf(secret: Uint8Array, at: number): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(at));
  const mac = createHmac('sha1', secret).update(counter).digest();
  const offset = mac.readUInt8(mac.length - 1) & 0xf;
  return String((mac.readUInt32BE(offset) & 0x7fffffff) % 1_000_000).padStart(6, '0');
}

/** The step of a code, if it is near the time and after the last used step; otherwise undefined. */
export function acceptedStep(
  secret: Uint8Array,
  code: string,
  { time, after }: { time: number; after: number },
): number | undefined {
  const now = stepAt(time);
  const steps = Array.from({ length: 2 * tolerance + 1 }, (_, index) => now - tolerance + index);
  return steps.find((at) => at > after && areEqual(codeOf(secret, at), code));
}

const areEqual = (one: string, other: string) =>
  one.length === other.length && timingSafeEqual(Buffer.from(one), Buffer.from(other));

/** A secret in Base32 (RFC 4648, 6), the format of authenticator apps. */
export function toBase32(bytes: Uint8Array): string {
  const bits = Array.from(bytes, (byte) => byte.toString(2).padStart(8, '0')).join('');
  return (bits.match(/.{1,5}/g) ?? []).map((five) => base32[Number.parseInt(five.padEnd(5, '0'), 2)]).join('');
}

const base32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/** The address of a secret for authenticator apps, usually in a QR code. */
export function toUri(secret: Uint8Array, { issuer, account }: { issuer: string; account: string }): string {
  // A colon separates the issuer and the account.
  const [by, whose] = [issuer, account].map((part) => encodeURIComponent(part.replaceAll(':', ' ')));
  return `otpauth://totp/${by}:${whose}?secret=${toBase32(secret)}&issuer=${by}`;
}
