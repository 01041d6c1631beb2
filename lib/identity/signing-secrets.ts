import type { SigningSecret } from '../collections/rooms/signing-secrets.ts';
import { randomToken } from './tokens.ts';

/** How long a replaced secret remains in use: the time for its receiver to learn the new one. */
const overlapMs = 86_400_000;

/** How many replaced secrets remain in use: each adds a signature to every request. */
const mostRetired = 2;

/** A new signing secret. Libraries of Standard Webhooks decode it as the base64 of 24 bytes. */
export const newSigningSecret = (): string => `whsec_${randomToken()}`;

/** Replaces a signing secret. The old one remains in use for a day. */
export function replaceSecret({ secret, retired = [] }: SigningSecret, now = Date.now()): Required<SigningSecret> {
  const earlier = retired.filter(({ until }) => until.getTime() > now);
  return {
    secret: newSigningSecret(),
    retired: [{ secret, until: new Date(now + overlapMs) }, ...earlier].slice(0, mostRetired),
  };
}

/** The secrets that sign now, newest first. */
export const secretsOf = ({ secret, retired = [] }: SigningSecret, now = Date.now()): string[] => [
  secret,
  ...retired.filter(({ until }) => until.getTime() > now).map((one) => one.secret),
];
