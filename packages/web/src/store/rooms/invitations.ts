import { ask, chat } from '../../service/api.ts';
import type { MyRoom } from '../kept.ts';
import { may } from './permissions.ts';

const dayMs = 24 * 60 * 60_000;

/** The validity of a link created with one click, in days. */
export const linkDays = 7;

/** True if the user may invite people to a room, and add them. */
export const mayInvite = (room: Pick<MyRoom, 'id' | 'isDirect' | 'role'>): boolean => may(room, 'invite', { asAdmin: true });

/** The links that were made here since the page was loaded, by room. */
const cachedLinks = new Map<string, { link: Promise<string>; until: number }>();

/**
 * An invitation link: the one created here before, if it is valid for another day, or a new one.
 */
export function inviteLink(room: string): Promise<string> {
  const known = cachedLinks.get(room);
  if (known && known.until - Date.now() > dayMs) return known.link;
  const until = Date.now() + linkDays * dayMs;
  const link = createInvitation(room, { until }).then((code) => `${location.origin}/join#${code}`);
  cachedLinks.set(room, { link, until });
  link.catch(() => cachedLinks.delete(room));
  return link;
}

/** Forgets the link to a room: it may have been revoked. */
export const forgetLink = (room: string): unknown => cachedLinks.delete(room);

/** Sends an invitation to an e-mail address. */
export const inviteByMail = (room: string, email: string): Promise<unknown> =>
  createInvitation(room, { until: Date.now() + linkDays * dayMs, email });

async function createInvitation(room: string, { until, email }: { until: number; email?: string }): Promise<string> {
  const body = { expires_at: new Date(until).toISOString(), ...(email !== undefined && { email }) };
  const { code } = await ask(chat.POST('/api/rooms/{room}/invitations', { params: { path: { room } }, body }));
  return code;
}
