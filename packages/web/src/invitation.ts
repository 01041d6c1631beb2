/*
 * The invitation by whose link somebody came who is not signed in. Whoever signs up may have to open the link of an e-mail in between, which
 * leads to another page: the invitation waits in this browser until it is used or declined, or for a day.
 */

const key = 'chat-invitation';
const keptFor = 24 * 60 * 60_000;

/** Keeps the code of an invitation. */
export const keepInvitation = (code: string): void => localStorage.setItem(key, JSON.stringify({ code, at: Date.now() }));

/** The code that is kept, if there is one. */
export function keptInvitation(): string | undefined {
  const kept = JSON.parse(localStorage.getItem(key) ?? 'null') as { code: string; at: number } | null;
  return kept && Date.now() - kept.at < keptFor ? kept.code : undefined;
}

/** Forgets it: it was used, declined, or is good for nothing. */
export const forgetInvitation = (): void => localStorage.removeItem(key);
