import { ObjectId } from 'mongodb';
import { loginLimits } from '../collections/accounts/login-limits.ts';
import { inBatches } from '../database/writes.ts';
import { failClosed, keyOf, type Limit, minute, networkOf, returnSlots, takeSlot } from '../identity/slots.ts';
import { config } from '../settings/config.ts';

/**
 * Counts a sign-up from an address, or refuses it with 429. The returned function counts it as an
 * attempt with a taken name instead: colleagues behind one address may try several names. Beyond
 * the wider limit for those it stays a sign-up, so that nobody can probe which names exist.
 */
export async function countSignUp(source: string): Promise<() => Promise<void>> {
  const network = networkOf(source);
  const uncount = await takeSlots([
    [keyOf('sign-ups of an hour', network), { most: config.limits.signUpsPerHour, window: hour }],
    [keyOf('sign-ups of a day', network), { most: config.limits.signUpsPerDay, window: 24 * hour }],
  ]);
  return async () => {
    await count([[keyOf('taken names of an hour', network), { most: config.limits.signUpsPerDay, window: hour }]]);
    await uncount();
  };
}

/**
 * Counts a sign-up with an invitation. The limit is wider, because colleagues behind one address
 * use it. It also counts for the inviter, so that many invitations do not lead to more accounts.
 */
export const countInvitedSignUp = (inviter: ObjectId, source: string): Promise<void> =>
  count([
    [keyOf('sign-ups of an inviter', inviter.toHexString()), { most: config.limits.signUpsPerDay, window: hour }],
    [keyOf('invited sign-ups of an hour', networkOf(source)), { most: config.limits.signUpsPerDay, window: hour }],
  ]);

/**
 * Counts the start of a sign-in through an identity provider, or refuses it with 429: each start
 * stores a document.
 */
export const countSignIn = (source: string): Promise<void> =>
  count([[keyOf('sign-ins from', networkOf(source)), { most: 250, window: 5 * minute }]]);

/**
 * Counts an e-mail that an anonymous client requests, whether or not it is sent, or refuses it with
 * 429. So nobody can flood a mailbox. The limit for one network is below the limit for all
 * networks. So one network cannot use up the e-mails that the owner of the mailbox requests.
 */
export const countMail = (recipient: string, purpose: string, source: string): Promise<void> =>
  count([
    [keyOf(mailsTo(recipient), JSON.stringify([purpose, networkOf(source)])), { most: 5, window: hour }],
    [keyOf('e-mails from', networkOf(source)), { most: 20, window: hour }],
    [keyOf(mailsTo(recipient), purpose), { most: 50, window: hour }],
  ]);

/**
 * Counts an invitation by e-mail, or refuses it with 429. The limit of one inviter for an address
 * is below the limit of all inviters, so that one cannot block the others. The result undoes the
 * count if the e-mail was not sent: entirely, or for the recipient only.
 */
export async function countInvitationMail(
  recipient: string,
  { user, isAdmin }: Inviter,
  source: string,
): Promise<{ uncount: Uncount; uncountForRecipient: Uncount }> {
  const inviter = user.toHexString();
  const day = 24 * hour;
  const ofRecipient = [
    keyOf('invitations of a day to', JSON.stringify([recipient, inviter])),
    keyOf('invitations of a day to', recipient),
  ] as const;
  const uncount = await takeSlots([
    [ofRecipient[0], { most: 2, window: day }],
    [keyOf('invitations of a day by', inviter), { most: isAdmin ? 200 : 20, window: day }],
    [keyOf('invitations of a day from', networkOf(source)), { most: 250, window: day }],
    [ofRecipient[1], { most: 5, window: day }],
  ]);
  return { uncount, uncountForRecipient: () => uncount(ofRecipient) };
}

/** The user who invites; administrators have a higher limit. */
type Inviter = { user: ObjectId; isAdmin: boolean };

/** Resets the counted e-mails of a mailbox. */
export const forgetMails = (recipient: string): Promise<void> => {
  const start = `${mailsTo(recipient)} `;
  return inBatches(loginLimits, { _id: { $gte: start, $lt: `${start}~` } }, (some) => loginLimits.deleteMany(some));
};

// The common prefix of all keys of a mailbox.
const mailsTo = (recipient: string) => keyOf('e-mails to', recipient);

const hour = 60 * minute;

const count = async (limits: NamedLimit[]): Promise<void> => void (await takeSlots(limits));

type NamedLimit = [key: string, limit: Limit];

/** Returns all slots that were taken, or those of some keys. */
type Uncount = (keys?: readonly string[]) => Promise<void>;

/** Takes a slot of each limit. If one refuses, takes none. */
async function takeSlots(limits: NamedLimit[]): Promise<Uncount> {
  const id = new ObjectId();
  const taken: string[] = [];
  if (!config.limits.areOn) return async () => undefined;
  await failClosed(async () => {
    try {
      for (const [key, limit] of limits) {
        await takeSlot(key, id, { ...limit, isSettled: true });
        taken.push(key);
      }
    } catch (error) {
      await returnSlots(taken, id);
      throw error;
    }
  });
  return (keys = taken) => returnSlots(keys, id);
}
