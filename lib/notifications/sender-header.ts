import webPush from 'web-push';
import { fromConfig } from '../settings/config.ts';

/*
 * By which header a push service knows who sends a push (RFC 8292). To sign one takes nearly as long as to encrypt a push,
 * and all devices at one push service have the same: so it is kept.
 */

/** For how many milliseconds a header is good, of 24 hours that it may be, and how much of that it has left at least. */
const lifetime = 12 * 3_600_000;
const leastLeft = lifetime / 2;

/** How many headers are kept: browsers have a few push services, of which some have a host for each region. */
const mostKept = 100;

const kept = new Map<string, { header: string; expiresAt: number }>();

/** The keys by which a push service knows who sends. */
export type KeyPair = { publicKey: string; privateKey: string };

/** The header that says to the push service at an origin who sends. */
export function senderHeader(origin: string, { publicKey, privateKey }: KeyPair): string {
  const id = `${origin} ${publicKey}`;
  const known = kept.get(id);
  const left = known ? known.expiresAt - Date.now() : 0;
  // One with more left was made by a clock that was ahead.
  if (known && left > leastLeft && left <= lifetime) return known.header;
  const expiresAt = Date.now() + lifetime;
  const seconds = Math.floor(expiresAt / 1_000);
  const { Authorization: header } = webPush.getVapidHeaders(origin, subject(), publicKey, privateKey, 'aes128gcm', seconds);
  kept.delete(id);
  for (const oldest of kept.keys()) if (kept.size >= mostKept) kept.delete(oldest);
  kept.set(id, { header, expiresAt });
  return header;
}

/** Whom a push service can ask about what it gets: some refuse one that is not real. */
const subject = fromConfig(({ publicUrl, mailFrom }) =>
  publicUrl.startsWith('https:') ? publicUrl : `mailto:${/[^\s<>]+@[^\s<>]+/.exec(mailFrom)?.[0] ?? 'nobody@invalid'}`,
);
