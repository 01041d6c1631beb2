import { beginningOf } from 'chat-service-rules/shortened';
import { normaliseName } from 'chat-service-rules/texts';
import { ObjectId } from 'mongodb';
import { type DateTime, dateSchema } from '../api/extended-json.ts';
import type { ListPage, Page } from '../api/pages.ts';
import { aFlag, aText, described, record, type Shown } from '../api/schema.ts';
import { adminRequired, permissionDenied, type Refusal } from '../base/errors.ts';
import { type TokenDocument, tokens } from '../collections/accounts/tokens.ts';
import { users } from '../collections/accounts/users.ts';
import { type Caller, isAdmin, requireOwnAccount } from '../identity/caller.ts';
import { aNewToken, deleteToken, deleteTokensOf, insertToken, listTokens, shownToken } from '../identity/tokens.ts';
import { findUser, noSuchUser, shownUser } from '../identity/users.ts';
import { config } from '../settings/config.ts';
import { noSuchSession } from './fresh-sessions.ts';

const { is_agent: _, app: __, app_returns_to: ___, ...tokenFields } = shownToken.fields;

/** A session as its user sees it. */
export const sessionSchema = record('Session', {
  ...tokenFields,
  name: described('The program that started the session, from its `User-Agent`.', aText),
  is_current: described('Whether the request came with this session.', aFlag),
});
export type Session = Shown<typeof sessionSchema>;

/** An answer that shows a session, with its token. */
export type WithToken<Shown> = Shown & { token: string };

/** A session that was just created. It lacks `token` if that is in a cookie. */
export const newSessionSchema = record(
  'NewSession',
  {
    token: aNewToken,
    expires_at: described('The time of expiry.', dateSchema),
    user: described('The account of the session.', shownUser.schema),
  },
  ['token'],
);
export type NewSession = WithToken<Shown<typeof newSessionSchema>>;

/** 403, only after the caller has proven to own the account. */
export const accountDeactivated: Refusal = () => permissionDenied('account_deactivated', 'This account is deactivated.');

/**
 * Begins a session. Its name is the program that asked for it, so that users can tell their
 * sessions apart. `by` is the method of the sign-in.
 *
 * If the sessions of the account have ended since `user` was read, this one ends too. Then it
 * throws `refusal`, if there is one.
 */
export async function createSession(
  user: { _id: ObjectId; session_generation: number },
  agent: string | undefined,
  by: Pick<TokenDocument, 'by_passkey' | 'provider_session'> = {},
  refusal?: Refusal,
): Promise<{ token: string; expires_at: DateTime }> {
  const { _id, token, expires_at } = await insertToken(
    {
      user: user._id,
      name: nameOf(agent) || 'session',
      kind: 'session',
      scopes: [],
      generation: user.session_generation,
      ...by,
    },
    { $add: ['$$NOW', config.sessionDays * 86_400_000] },
  );
  // Checked only now: sessions that end before this one is stored end without it.
  const generation = { _id: user._id, session_generation: user.session_generation };
  const [current] = await Promise.all([users.findOne(generation, { projection: { _id: 1 } }), endOldest(user._id)]);
  if (!current) {
    await deleteToken({ _id: new ObjectId(_id.$oid) });
    if (refusal) throw refusal();
  }
  return { token, expires_at: expires_at as DateTime };
}

/**
 * The `User-Agent` of a program, as a name is stored. Browsers have the name that sets them apart
 * at the end.
 */
const nameOf = (agent = '') =>
  beginningOf(
    normaliseName(agent.toWellFormed())
      .replace(/\p{Cc}/gu, '')
      .trim(),
    250,
  );

/** Ends the oldest sessions of a user who has too many. */
async function endOldest(user: ObjectId): Promise<void> {
  const { areOn, sessionsPerUser } = config.limits;
  if (!areOn) return;
  const options = { sort: { created_at: -1 }, skip: sessionsPerUser, projection: { _id: 1 } } as const;
  const oldest = await tokens.find({ user, kind: 'session' }, options).toArray();
  if (oldest.length === 0) return;
  await deleteTokensOf(user, { _id: { $in: oldest.map(({ _id }) => _id) } });
}

/** The refusals of operations on all sessions of an account. */
export const sessionRefusals = [adminRequired, noSuchUser];

/**
 * The account of the requested sessions: the caller's, or another existing one for administrators.
 */
async function ownerOf(user: ObjectId | undefined, caller: Caller): Promise<ObjectId> {
  requireOwnAccount(user, caller);
  if (user === undefined || user.equals(caller.user._id)) return caller.user._id;
  await findUser(user);
  return user;
}

/**
 * A page of an account's sessions, by the order of their ids: the caller's or, for administrators,
 * those of `user`.
 */
export async function listSessions(
  { user, ...page }: Page & { user?: ObjectId | undefined },
  caller: Caller,
): Promise<ListPage<Session>> {
  const { items, next } = await listTokens({ user: await ownerOf(user, caller), kind: 'session' }, page);
  const current = caller.token._id.toHexString();
  return { items: items.map((session) => ({ ...session, is_current: session._id.$oid === current })), next };
}

/**
 * Ends a session at once: the current one, another of the caller's, or anyone's for administrators.
 * 404 for all others.
 */
export async function endSession(session: ObjectId | 'current', caller: Caller): Promise<void> {
  const _id = session === 'current' ? caller.token._id : session;
  const reachable = { _id, kind: 'session' as const, ...(!isAdmin(caller) && { user: caller.user._id }) };
  if (!(await deleteToken(reachable))) throw noSuchSession();
}

/**
 * Ends every session of the caller or, for administrators, of `user`, but the one that calls. With
 * a time, also revokes the named tokens of the account and its bots since then. A thief of the
 * session may have created them.
 */
export async function endOtherSessions(
  { user, tokens_since: since }: { user?: ObjectId | undefined; tokens_since?: Date | undefined },
  caller: Caller,
): Promise<void> {
  const owner = await ownerOf(user, caller);
  const _id = { $ne: caller.token._id };
  await deleteTokensOf(owner, { kind: 'session', _id });
  if (!since) return;
  const bots = await users.find({ owner, is_bot: true }, { projection: { _id: 1 } }).toArray();
  for (const account of [owner, ...bots.map((bot) => bot._id)])
    await deleteTokensOf(account, { kind: 'api', created_at: { $gte: since }, _id });
}

/**
 * Deletes the sessions that a new generation has ended, after taking `keep`, one of them, over into
 * it.
 */
export async function endSessions(user: ObjectId, generation: number, keep: ObjectId | undefined): Promise<void> {
  if (keep) await tokens.updateOne({ user, kind: 'session', _id: keep }, { $max: { generation } });
  await deleteTokensOf(user, { kind: 'session', generation: { $lt: generation } });
}
