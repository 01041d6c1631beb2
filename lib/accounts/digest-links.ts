import type { ObjectId } from 'mongodb';
import { about, tokenOf } from '../api/parameters.ts';
import { aToken, isToken } from '../api/schema.ts';
import { notFound, type Refusal } from '../base/errors.ts';
import { users } from '../collections/accounts/users.ts';
import { digests } from '../collections/delivery/digests.ts';
import { hashToken } from '../identity/authenticate.ts';
import { config } from '../settings/config.ts';

const noSuchLink: Refusal = () => notFound('link');

/** The last part of an address that ends e-mails. */
export const digestLink = about('The last part of the address, which each of these e-mails has.', {
  ...tokenOf('a link'),
  read: (sent: unknown) => (isToken(sent) ? sent : undefined),
  schema: aToken,
  refuse: noSuchLink,
});

export const digestLinkRefusals = [noSuchLink];

/** Where the receiver of e-mails about what is unread ends them. */
export const digestAddress = (link: string): string => `${config.publicUrl}/api/email-digest/${link}`;

/** Ends the e-mails about what is unread to whose they are; once more does nothing. 404 for a link that none of the last e-mails has. */
export async function endDigests(link: string): Promise<void> {
  const _id = await requireDigestLink(link);
  const { matchedCount } = await users.updateOne({ _id }, { $set: { email_digest: false } });
  if (matchedCount === 0) throw noSuchLink();
}

/** Whose e-mails a link ends; 404 if none of the last e-mails has it. */
export async function requireDigestLink(link: string): Promise<ObjectId> {
  const found = await digests.findOne({ links: hashToken(link) }, { projection: { _id: 1 } });
  if (!found) throw noSuchLink();
  return found._id;
}

/** Forgets what a user was told by e-mail; an earlier link ends nothing from then on. */
export const forgetDigests = async (user: ObjectId): Promise<void> => void (await digests.deleteMany({ _id: user }));
