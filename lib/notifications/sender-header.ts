import webPush from 'web-push';
import { fromConfig } from '../settings/config.ts';

/*
 * The header that identifies the sender to a push service (RFC 8292). Signing it takes nearly as
 * long as encrypting a push. All devices at one push service share it, so it is cached.
 */

/**
 * The lifetime of a header in milliseconds, of at most 24 hours, and the least time that a cached
 * header must have left.
 */
const lifetimeMs = 12 * 3_600_000;
const leastLeft = lifetimeMs / 2;

/** The most cached headers. Browsers have few push services, some with a host for each region. */
const mostKept = 100;

const kept = new Map<string, { header: string; expiresAt: number }>();

/** The key pair that identifies the sender to a push service. */
export type KeyPair = { publicKey: string; privateKey: string };

/** The header that identifies the sender to the push service at an origin. */
export function senderHeader(origin: string, { publicKey, privateKey }: KeyPair): string {
  const id = `${origin} ${publicKey}`;
  const known = kept.get(id);
  const left = known ? known.expiresAt - Date.now() : 0;
  // A header with more time left was signed while the clock was ahead.
  if (known && left > leastLeft && left <= lifetimeMs) return known.header;
  const expiresAt = Date.now() + lifetimeMs;
  const seconds = Math.floor(expiresAt / 1_000);
  const { Authorization: header } = webPush.getVapidHeaders(origin, subject(), publicKey, privateKey, 'aes128gcm', seconds);
  kept.delete(id);
  for (const oldest of kept.keys()) if (kept.size >= mostKept) kept.delete(oldest);
  kept.set(id, { header, expiresAt });
  return header;
}

/** A contact for push services. Some reject one that is not real. */
const subject = fromConfig(({ publicUrl, mailFrom }) =>
  publicUrl.startsWith('https:') ? publicUrl : `mailto:${/[^\s<>]+@[^\s<>]+/.exec(mailFrom)?.[0] ?? 'nobody@invalid'}`,
);
