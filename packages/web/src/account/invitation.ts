/*
 * The invitation whose link a signed-out visitor opened. Sign-up may require opening the link of an
 * e-mail, which leads to another page. So the invitation stays in this browser until it is used or
 * declined, or for a day.
 */

import { forgetName, recallJson, remember } from '../device/storage.ts';

const key = 'chat-invitation';
const keptFor = 24 * 60 * 60_000;

/** Keeps the code of an invitation. */
export const keepInvitation = (code: string): void => remember(key, JSON.stringify({ code, at: Date.now() }));

/** The code of the stored invitation, if there is one. */
export function keptInvitation(): string | undefined {
  const kept = recallJson<{ code: string; at: number } | null>(key, null);
  return kept && Date.now() - kept.at < keptFor ? kept.code : undefined;
}

/** Forgets it: it was used, declined, or is good for nothing. */
export const forgetInvitation = (): void => forgetName(key);
