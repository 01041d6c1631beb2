import { firstCharacters } from 'chat-service-rules/shortened';
import type { ObjectId } from 'mongodb';
import { toObjectId } from '../api/extended-json.ts';
import { about, optional, type Values } from '../api/parameters.ts';
import { regardlessOfDeadline } from '../base/deadline.ts';
import { permissionDenied, type Refusal, tooManyRequests } from '../base/errors.ts';
import { countInvitationMail } from '../credentials/anonymous-limits.ts';
import { email, emailKey } from '../identity/account-names.ts';
import { type Caller, isAdmin } from '../identity/caller.ts';
import { invitationParameters, invite, inviteRefusals, type NewInvitation, revokeInvitation } from '../members/invitations.ts';
import { type MailOutcome, noMail, requireMail, requireSent, trySendingMail } from '../net/mail.ts';
import { findContext } from '../rooms/contexts.ts';
import { requirePermission } from '../rooms/permissions.ts';
import { config } from '../settings/config.ts';

/** The parameters of an invitation, and the address to send its link to. */
export const sentInvitation = {
  ...invitationParameters,
  email: about(
    'An address to send the link to. Such an invitation can be used once, unless `uses` says otherwise.',
    optional(email),
  ),
};

// One person may have several bots, each with its own limits.
const sentByBot: Refusal = () => permissionDenied('bot_refused', 'A bot cannot send invitations by e-mail.');
export const sentInvitationRefusals = [...inviteRefusals, noMail, sentByBot, tooManyRequests];

/**
 * Creates an invitation, and sends its link if there is an address. If the e-mail is not sent, the
 * invitation is revoked; if the process dies before that, nobody knows the code. The answer does
 * not depend on whether the address has an account.
 */
export async function inviteByMail(
  room: ObjectId,
  { email: to, ...limits }: Values<typeof sentInvitation>,
  caller: Caller,
  source: string,
): Promise<NewInvitation> {
  if (to === undefined) return invite(room, limits, caller);
  requireMail();
  if (caller.user.is_bot) throw sentByBot();
  // Checked before the e-mail counts against a limit; also gives the room's name.
  const { name } = requirePermission(await findContext(room, caller), 'invite');
  const inviter = { user: caller.user._id, isAdmin: isAdmin(caller) };
  const { uncount, uncountForRecipient } = await countInvitationMail(emailKey(to), inviter, source);
  let outcome: MailOutcome = 'out of reach';
  try {
    const invitation = await invite(room, { ...limits, uses: limits.uses ?? 1 }, caller);
    outcome = await trySendingMail({ to, ...invitationMail(caller, name, invitation) });
    // The caller may have lost the permission meanwhile, which also revokes the invitation.
    if (outcome !== 'sent')
      await regardlessOfDeadline(() => revokeInvitation(room, toObjectId(invitation._id), caller)).catch(() => undefined);
    requireSent(outcome);
    return invitation;
  } finally {
    // A request that reached the mail server stays counted for the inviter, also if the server
    // refused the address. Otherwise a caller could probe addresses, or overload the server. A
    // refused address does not count for the recipient.
    if (outcome === 'out of reach' || outcome === 'busy') await regardlessOfDeadline(uncount).catch(() => undefined);
    if (outcome === 'not sent') await regardlessOfDeadline(uncountForRecipient).catch(() => undefined);
  }
}

function invitationMail({ user }: Caller, room: string, { code, expires_at }: NewInvitation) {
  const { brandName, publicUrl } = config;
  const inviter = withoutLinks(user.name ?? user.username) || withoutLinks(user.username);
  const until = expires_at ? ` until ${expires_at.$date.slice(0, 16).replace('T', ' ')} UTC` : '';
  return {
    subject: `An invitation to ${brandName}`,
    text: `"${inviter}" invites you to the room "${withoutLinks(room)}" of ${brandName}.

To join, open this link${until}:

${publicUrl}/join#${code}

Don’t recognise this? Ignore this e-mail.
`,
  };
}

/** The most characters of a name in an e-mail. */
const longestName = 40;

/**
 * A name that a user chose, made safe for an e-mail: nothing in it becomes a link or is invisible.
 * Everything except letters, marks, digits, hyphens and apostrophes becomes a space.
 */
export const withoutLinks = (name: string): string =>
  firstCharacters(
    name
      .normalize('NFKC')
      .replaceAll(/[^\p{L}\p{M}\p{N}'’-]+/gu, ' ')
      .trim(),
    longestName,
  ).trim();
