import type { SigningSecret } from '../collections/rooms/signing-secrets.ts';
import { randomToken } from './tokens.ts';

/** For how many milliseconds a secret that was replaced signs as well, so that its receiver has time to learn the new one. */
const overlap = 86_400_000;

/** How many secrets that were replaced sign as well: what is sent has a signature by each. */
const mostRetired = 2;

/** A secret to sign with: the libraries of Standard Webhooks read it as the base64 of 24 bytes. */
export const newSigningSecret = (): string => `whsec_${randomToken()}`;

/** Another secret in place of one, which signs as well for a day. */
export function replaceSecret({ secret, retired = [] }: SigningSecret, now = Date.now()): Required<SigningSecret> {
  const earlier = retired.filter(({ until }) => until.getTime() > now);
  return {
    secret: newSigningSecret(),
    retired: [{ secret, until: new Date(now + overlap) }, ...earlier].slice(0, mostRetired),
  };
}

/** The secrets that sign now, the newest first. */
export const secretsOf = ({ secret, retired = [] }: SigningSecret, now = Date.now()): string[] => [
  secret,
  ...retired.filter(({ until }) => until.getTime() > now).map((one) => one.secret),
];
