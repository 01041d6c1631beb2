import type { ObjectId } from 'mongodb';
import { about, tokenOf } from '../api/parameters.ts';
import { aToken, isToken } from '../api/schema.ts';
import { notFound, type Refusal } from '../base/errors.ts';
import { users } from '../collections/accounts/users.ts';
import { digests } from '../collections/delivery/digests.ts';
import { hashToken } from '../identity/authenticate.ts';
import { config } from '../settings/config.ts';

const noSuchLink: Refusal = () => notFound('link');

/** The last part of the link that turns off e-mails about unread messages. */
export const digestLink = about('The last part of the address in each of these e-mails.', {
  ...tokenOf('a link'),
  read: (sent: unknown) => (isToken(sent) ? sent : undefined),
  schema: aToken,
  refuse: noSuchLink,
});

export const digestLinkRefusals = [noSuchLink];

/** The link that turns off a user's e-mails about unread messages. */
export const digestAddress = (link: string): string => `${config.publicUrl}/api/email-digest/${link}`;

/**
 * Turns off the e-mails that have this link; repeating it changes nothing. 404 if no recent e-mail
 * has the link.
 */
export async function endDigests(link: string): Promise<void> {
  const _id = await requireDigestLink(link);
  const { matchedCount } = await users.updateOne({ _id }, { $set: { email_digest: false } });
  if (matchedCount === 0) throw noSuchLink();
}

/** The user whose e-mails a link turns off; 404 if no recent e-mail has the link. */
export async function requireDigestLink(link: string): Promise<ObjectId> {
  const found = await digests.findOne({ links: hashToken(link) }, { projection: { _id: 1 } });
  if (!found) throw noSuchLink();
  return found._id;
}

/** Deletes the state of a user's e-mails about unread messages; their links become invalid. */
export const forgetDigests = async (user: ObjectId): Promise<void> => void (await digests.deleteMany({ _id: user }));
