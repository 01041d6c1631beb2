import type { ObjectId } from 'mongodb';
import { toObjectId } from '../api/extended-json.ts';
import type { ListPage, Page } from '../api/pages.ts';
import { about, dateTime, flag, id, optional, someOf, type Values, withDefault } from '../api/parameters.ts';
import { type Scope, scopes } from '../api/scopes.ts';
import { adminRequired, conflict, invalidParameter, type Refusal } from '../base/errors.ts';
import { tokens } from '../collections/accounts/tokens.ts';
import { type UserDocument, users } from '../collections/accounts/users.ts';
import { createToken, tokenName, tokenNameTaken } from '../identity/api-tokens.ts';
import { hasActiveOwner, isStillOwned } from '../identity/bot-rules.ts';
import { type Caller, requireAdmin, unscopedTokenRequired } from '../identity/caller.ts';
import { deleteToken, listTokens, type NewToken, type Token } from '../identity/tokens.ts';
import { noSuchUser } from '../identity/users.ts';
import { ownProof, ownProofRefusals, requireOwnProof } from '../second-factor/proof.ts';
import { config } from '../settings/config.ts';

/** The parameters of a new token. */
export const tokenParameters = {
  name: tokenName,
  scopes: about(
    'The permitted scopes. A token without any may do everything. Without scopes, and with `account`, `admin` or a scope that ends in `:write`, it requires `current_password` and, if a second factor is on, `second_factor`. A token of a bot has at least one scope.',
    optional(someOf(scopes)),
  ),
  expires_at: about('The time of expiry; without it, the token does not expire.', optional(dateTime)),
  is_agent: about(
    'Whether an agent uses the token: the messages that it sends show the name of the token.',
    withDefault(flag, false),
  ),
  user: about('The owner of the token, by default the caller; a bot of the caller, or anyone for administrators.', optional(id)),
  ...ownProof,
};

export const tooManyTokens: Refusal = () => conflict('too_many_tokens', 'The account has too many named tokens.');
export const tokenRefusals = [
  unscopedTokenRequired,
  adminRequired,
  ...ownProofRefusals,
  noSuchUser,
  tokenNameTaken,
  tooManyTokens,
];

/**
 * Creates a named token for the caller, for a bot of the caller or, as an administrator, for
 * another user. Others get 403, and 404 if the user does not exist. A token with write scopes could
 * outlast a stolen session, so it needs a proof of the caller's identity. A bot's token must have
 * scopes, because a token without scopes could create more tokens unseen by the owner.
 */
export async function createTokenFor(
  { user, name, scopes = [], expires_at: expiresAt, is_agent: isAgent, ...proof }: Values<typeof tokenParameters>,
  caller: Caller,
): Promise<NewToken> {
  const owner = user ?? caller.user._id;
  const account = owner.equals(caller.user._id) ? caller.user : await findManaged(owner, caller);
  if (account.is_bot && scopes.length === 0) throw invalidParameter('scopes', 'have at least one scope for a bot');
  if (scopes.length === 0 || scopes.some(isPowerful)) await requireOwnProof(proof, caller);
  const created = await createToken(owner, name, { scopes, expiresAt, isAgent });
  await requireFew(owner, created);
  if (account.is_bot) await requireSameOwner(owner, account, created);
  return created;
}

/** True if a token with this scope can change something, or read something private. */
const isPowerful = (scope: Scope): boolean => scope === 'account' || scope === 'admin' || scope.endsWith(':write');

const ownerInactive: Refusal = () =>
  conflict('owner_inactive', "The bot's owner is deactivated: give the bot to another owner first.");

/**
 * Creates a named token for any account, as the command line: of a bot, it has scopes, and an
 * active owner or none.
 */
export async function createTokenByCommand(
  user: ObjectId,
  name: string,
  { scopes, expiresAt, isAgent }: { scopes: Scope[] | undefined; expiresAt: Date | undefined; isAgent: boolean },
): Promise<NewToken> {
  const bot = await users.findOne<ManagedAccount>({ _id: user, is_bot: true }, { projection: { owner: 1 } });
  if (bot && !scopes?.length) throw invalidParameter('scope', 'have at least one scope for a bot');
  if (bot && !(await hasActiveOwner(bot))) throw ownerInactive();
  const created = await createToken(user, name, { scopes, expiresAt, isAgent });
  if (bot) await requireSameOwner(user, bot, created);
  return created;
}

type ManagedAccount = Pick<UserDocument, 'is_bot' | 'owner'>;

/** Another account whose tokens the caller may manage. */
async function findManaged(_id: ObjectId, caller: Caller): Promise<ManagedAccount> {
  const found = await users.findOne<ManagedAccount>({ _id }, { projection: { is_bot: 1, owner: 1 } });
  if (!found?.owner?.equals(caller.user._id)) requireAdmin(caller);
  if (!found) throw noSuchUser();
  return found;
}

/**
 * The named tokens of the caller, or of an account whose tokens the caller may manage, by the order
 * of their ids.
 */
export async function listTokensFor(
  { user, ...page }: Page & { user?: ObjectId | undefined },
  caller: Caller,
): Promise<ListPage<Token>> {
  if (user && !user.equals(caller.user._id)) await findManaged(user, caller);
  return listTokens({ user: user ?? caller.user._id, kind: 'api' }, page);
}

// Check the owner after the token exists. The tokens of a bot end with its owner and with the
// owner's account, and either may have ended meanwhile.
async function requireSameOwner(bot: ObjectId, { owner }: ManagedAccount, created: NewToken): Promise<void> {
  if (await isStillOwned({ _id: bot, ...(owner && { owner }) })) return;
  await deleteToken({ _id: toObjectId(created._id) });
  throw noSuchUser();
}

/** Refuses, with 409, accounts that have as many named tokens as they may have. */
export async function requireSpareToken(user: ObjectId): Promise<void> {
  const { areOn, tokensPerUser: most } = config.limits;
  if (areOn && (await tokens.countDocuments({ user, kind: 'api' }, { limit: most })) >= most) throw tooManyTokens();
}

/**
 * Takes a new token back, with 409, if the account has too many. It is counted once it exists, so
 * that no more than that stay, however many are created at the same time.
 */
export async function requireFew(user: ObjectId, created: NewToken): Promise<void> {
  const { areOn, tokensPerUser: most } = config.limits;
  if (!areOn || (await tokens.countDocuments({ user, kind: 'api' }, { limit: most + 1 })) <= most) return;
  await deleteToken({ _id: toObjectId(created._id) });
  throw tooManyTokens();
}
