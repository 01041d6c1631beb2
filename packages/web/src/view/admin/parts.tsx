import { later } from '../shared/later.tsx';

/*
 * Views of a room that administrators share with members. They are imported from the members' code:
 * a bundle of their own would lengthen the list in the first load.
 */

export const Bans = later(async () => (await import('../room/members.tsx')).Bans);
export const Invitations = later(async () => (await import('../room/members.tsx')).Invitations);
export const InvitedAddress = later(async () => (await import('../room/members.tsx')).InvitedAddress);
export const SentTo = later(async () => (await import('../room/members.tsx')).SentTo);
export const Webhooks = later(async () => (await import('../room/details.tsx')).Webhooks);
