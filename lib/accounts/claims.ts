import { domainToASCII } from 'node:url';
import type { ObjectId } from 'mongodb';
import { conflict, type Refusal } from '../base/errors.ts';
import { log } from '../base/log.ts';
import { type IdentityDocument, type UserDocument, users } from '../collections/accounts/users.ts';
import { forgetCode, forgetCodesOf, noSuchCode } from '../credentials/codes.ts';
import { accountDeactivated, endSessions } from '../credentials/sessions.ts';
import { duplicateIn } from '../database/failures.ts';
import { emailKey, emailKeys } from '../identity/account-names.ts';
import { revokeTokens } from '../identity/api-tokens.ts';
import { emailBeginnings } from '../identity/beginnings.ts';
import { claimed } from '../identity/unclaimed.ts';

/*
 * Connects existing accounts with people at an identity provider, without a sign-in to the account
 * first.
 */

export const identityTaken: Refusal = () =>
  conflict('identity_taken', 'This identity at the provider belongs to another account.');
export const alreadyLinked: Refusal = () => conflict('already_linked', 'The account is connected already.');
const secondFactorOn: Refusal = () =>
  conflict('second_factor_on', 'The account has a second factor: sign in to it, and connect it in the settings.');
export const codeClaimRefusals = [noSuchCode, identityTaken, alreadyLinked, secondFactorOn];

/** An account that can be connected with an identity without a session of its owner. */
const isOpen = { is_active: true, is_bot: { $exists: false }, identity: { $exists: false }, second_factor: { $exists: false } };

/**
 * Connects an imported account that nobody has used with the person who has confirmed its address.
 * Returns undefined if no such account exists. Administrators' accounts require more than an
 * address.
 */
export async function claimByAddress(email: string, identity: IdentityDocument): Promise<UserDocument | undefined> {
  const found = await findUnclaimed(email);
  if (!found || found.is_bot || found.is_admin || !isSameMailbox(found.email, email)) return undefined;
  if (!found.is_active) throw accountDeactivated();
  const isFree = { ...isOpen, is_admin: false, password_hash: { $exists: false }, 'imported.is_unclaimed': true as const };
  const given = await users.findOneAndUpdate(
    { _id: found._id, email: found.email ?? '', ...isFree },
    {
      $set: { identity, email, email_key: emailKey(email), email_beginnings: emailBeginnings(email), confirmed_email: email },
      $unset: claimed,
      // Makes the account's existing codes invalid.
      $inc: { session_generation: 1 },
    },
    { returnDocument: 'after' },
  );
  if (!given) return undefined;
  await forgetCodesOf(given._id);
  log('info', 'security', { event: 'imported account claimed by address', whom: given._id.toHexString() });
  return given;
}

/** Returns true if an imported account that nobody has used has this address. */
export const isUnclaimedAddress = async (email: string): Promise<boolean> => (await findUnclaimed(email)) !== null;

const findUnclaimed = (email: string) => users.findOne({ email_key: { $in: emailKeys(email) }, 'imported.is_unclaimed': true });

/**
 * Returns true if two addresses belong to one mailbox, as mail servers treat them: only the case of
 * ASCII letters is ignored. Other letters that `emailKey` equates may be another person's.
 */
function isSameMailbox(one = '', other = ''): boolean {
  const plain = (address: string) => {
    const at = address.lastIndexOf('@');
    return `${address.slice(0, at).replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase())}@${domainToASCII(address.slice(at + 1))}`;
  };
  return plain(one) === plain(other);
}

/** The account that a code was made for, the session generation at that time, and the code. */
export type CodeClaim = { user: ObjectId; generation: number; code: ObjectId };

/**
 * Connects an account with an identity by a code that could set a new password; 404 if the code has
 * become invalid. Like a new password, this ends all sessions and tokens of the account.
 */
export async function claimByCode(claim: CodeClaim, identity: IdentityDocument): Promise<UserDocument> {
  const { user, generation, code } = claim;
  try {
    const given = await users.findOneAndUpdate(
      { _id: user, session_generation: generation, ...isOpen },
      { $set: { identity }, $unset: claimed, $inc: { session_generation: 1 } },
      { returnDocument: 'after' },
    );
    if (!given) throw await refusalOf(claim);
    await Promise.all([forgetCode(code), endSessions(user, given.session_generation, undefined), revokeTokens(user, undefined)]);
    log('info', 'security', { event: 'identity linked by a code', whom: user.toHexString() });
    return given;
  } catch (error) {
    throw duplicateIn(error) === 'identity' ? identityTaken() : error;
  }
}

async function refusalOf({ user, generation }: CodeClaim): Promise<Error> {
  const found = await users.findOne({ _id: user, session_generation: generation, is_active: true });
  if (found?.identity) return alreadyLinked();
  return found?.second_factor ? secondFactorOn() : noSuchCode();
}
