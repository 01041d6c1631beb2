import { later } from './later.tsx';

/*
 * Views of a room that administrators see as well. They are taken from the code that has them for members: code of their own would make the
 * first load longer for everybody, which lists what is loaded later.
 */

export const Bans = later(async () => (await import('./members.tsx')).Bans);
export const Invitations = later(async () => (await import('./members.tsx')).Invitations);
export const InvitedAddress = later(async () => (await import('./members.tsx')).InvitedAddress);
export const SentTo = later(async () => (await import('./members.tsx')).SentTo);
export const Webhooks = later(async () => (await import('./details.tsx')).Webhooks);
