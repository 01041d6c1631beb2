import { later } from '../shared/later.tsx';

/*
 * Views of a room that administrators see as well. They are taken from the code that has them for members: code of their own would make the
 * first load longer for everybody, which lists what is loaded later.
 */

export const Bans = later(async () => (await import('../room/members.tsx')).Bans);
export const Invitations = later(async () => (await import('../room/members.tsx')).Invitations);
export const InvitedAddress = later(async () => (await import('../room/members.tsx')).InvitedAddress);
export const SentTo = later(async () => (await import('../room/members.tsx')).SentTo);
export const Webhooks = later(async () => (await import('../room/details.tsx')).Webhooks);
