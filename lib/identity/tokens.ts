import { randomInt } from 'node:crypto';
import type { Filter, ObjectId } from 'mongodb';
import { type ListPage, type Page, pageById, withOneMore } from '../api/pages.ts';
import { type ShownBy, shownFrom } from '../api/representation.ts';
import { aText, aToken, aTrue, aWord, described, listOf, record, type Shown } from '../api/schema.ts';
import { scopes } from '../api/scopes.ts';
import { type TokenDocument, tokens, unexpired } from '../collections/accounts/tokens.ts';
import { pushSubscriptions } from '../collections/delivery/push-subscriptions.ts';
import { deleteOnly } from '../database/engines.ts';
import { insertWithTimes } from '../database/writes.ts';
import { notify } from '../notices/notices.ts';
import { hashToken } from './authenticate.ts';

const { as, ownId, id, date, dateOrNull, made, representation } = shownFrom<TokenDocument>();

/** The end of a secret. */
export const aHint = described('The last four characters of the secret, for telling items of a list apart.', aText);

/** The fields that only tokens of agents and apps have. */
const rareFields = ['is_agent', 'app', 'app_returns_to'] as const;

/** A token as the API shows it. */
export const shownToken = representation(
  'Token',
  {
    _id: ownId,
    user: id('user', 'The owner of the token.'),
    name: as(described('The purpose of the token, in the words of its owner.', aText), 'name'),
    kind: as(described('`session` for a login, `api` for a named token.', aWord('session', 'api')), 'kind'),
    scopes: as(described('The permitted scopes; an empty list permits everything.', listOf(aWord(...scopes))), 'scopes'),
    hint: as(aHint, 'hint'),
    created_at: date('created_at', 'The time of creation.'),
    last_used_at: dateOrNull('last_used_at', 'The time of the last use, to the hour; null before the first.'),
    expires_at: dateOrNull('expires_at', 'The time of expiry; null if it does not expire.'),
    is_agent: as(
      described('Present, and true, for an agent: its messages show the name of the token as `via`.', aTrue),
      'is_agent',
    ),
    app: made(
      described('The host of the app that got the token by OAuth, or its client id if it is registered here.', aText),
      ({ app }) => (app && (app.host ?? app.client_id)) as string,
      { 'app.host': 1, 'app.client_id': 1 },
    ),
    app_returns_to: made(
      described('The host that got the code of the app, or the scheme of an app on a device.', aText),
      ({ app }) => app?.returns_to as string,
      { 'app.returns_to': 1 },
    ),
  },
  rareFields,
);
export type Token = ShownBy<typeof shownToken>;

/** The token itself, as its creator sees it this once. */
export const aNewToken = described('The 32 characters for `X-Auth-Token`, shown only once; absent with `cookie`.', aToken);

/** A token as it is shown to its creator, this once. */
export const newTokenSchema = record('NewToken', { ...shownToken.fields, token: aNewToken }, rareFields);
export type NewToken = Shown<typeof newTokenSchema>;

type NewTokenDocument = Pick<
  TokenDocument,
  'user' | 'name' | 'kind' | 'scopes' | 'is_agent' | 'generation' | 'by_passkey' | 'provider_session' | 'app'
>;

/**
 * Stores a new token; `expires` is a time, an expression of the database's clock, or null. Its 32
 * characters can't be read again.
 */
export async function insertToken(token: NewTokenDocument, expires: unknown, accessExpires?: unknown): Promise<NewToken> {
  const secret = randomToken();
  const document = { ...token, hash: Buffer.from(hashToken(secret), 'hex'), hint: secret.slice(-4), last_used_at: null };
  const times = {
    created_at: '$$NOW',
    expires_at: expires,
    ...(accessExpires !== undefined && { access_expires_at: accessExpires }),
  };
  const stored = await insertWithTimes(tokens, document, times);
  return { ...shownToken.show(stored), token: secret };
}

/** A page of a user's valid tokens of one kind, in the order of their ids. */
export async function listTokens(filter: Pick<TokenDocument, 'user' | 'kind'>, { limit, after }: Page): Promise<ListPage<Token>> {
  const where = { ...filter, ...unexpired, ...(after && { _id: { $gt: after } }) };
  const found = await tokens.find(where, { sort: { _id: 1 }, ...withOneMore(limit) }).toArray();
  return pageById(found, limit, shownToken.show);
}

/** Every valid token of a user, of either kind. */
export async function listAllTokens(user: ObjectId): Promise<Token[]> {
  return (await tokens.find({ user, ...unexpired }, { sort: { _id: 1 } }).toArray()).map(shownToken.show);
}

/**
 * Deletes the token that a filter with its `_id` matches, and returns true if it existed. It may be
 * in use, which changes its document.
 */
export async function deleteToken(filter: Filter<Omit<TokenDocument, '_id'>> & { _id: ObjectId }): Promise<boolean> {
  const existed = await deleteOnly(tokens, filter);
  if (existed) await pushSubscriptions.deleteMany({ _id: filter._id });
  if (existed) notify({ type: 'ended', token: filter._id.toHexString() });
  return existed;
}

/** Deletes the tokens of a user that match a filter; without a filter, all of them. */
export async function deleteTokensOf(user: ObjectId, filter: Filter<Omit<TokenDocument, 'user'>> = {}): Promise<void> {
  await tokens.deleteMany({ ...filter, user });
  const devices = await pushSubscriptions.find({ user }, { projection: { _id: 1 } }).toArray();
  if (devices.length > 0) {
    const ids = devices.map(({ _id }) => _id);
    const left = await tokens.find({ _id: { $in: ids } }, { projection: { _id: 1 } }).toArray();
    const ended = ids.filter((id) => !left.some(({ _id }) => _id.equals(id)));
    await pushSubscriptions.deleteMany({ _id: { $in: ended } });
  }
  // Even when nothing was deleted: a token also ends with its account, or with its generation.
  notify({ type: 'ended', user: user.toHexString() });
}

const alphabet = 'abcdefghijklmnopqrstuvwxyz0123456789';

/** 32 characters, all 36 equally likely: `randomInt` draws again instead of taking a remainder. */
export const randomToken = (): string => Array.from({ length: 32 }, () => alphabet[randomInt(alphabet.length)]).join('');
