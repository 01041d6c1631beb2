import type { ObjectId } from 'mongodb';
import { users } from '../collections/accounts/users.ts';
import { type Caller, isAdmin } from '../identity/caller.ts';
import { type Preference, preferences } from '../identity/preferences.ts';
import type { AuditAction } from './actions.ts';
import type { Act } from './append.ts';
import { tokenTarget, userTarget } from './targets.ts';

/*
 * The audited acts of requests. Only acts of administrators are recorded, so other callers get an
 * empty list without a query. An administrator's act is not recorded if the same user could do it
 * without being an administrator. Nor is an act on something that does not exist: the request
 * itself finds that out.
 */

/** An act on an account. The log does not record what users do to their own account (`me`). */
export async function actOnUser(
  user: ObjectId | 'me' | undefined,
  action: AuditAction,
  caller: Caller,
  details: Record<string, string> = {},
): Promise<Act[]> {
  if (!isAdmin(caller) || user === undefined || user === 'me' || user.equals(caller.user._id)) return [];
  const target = await userTarget(user);
  return target ? [{ action, target, details }] : [];
}

/**
 * A hold on the messages of an account, also of the own one and of one that is deleted, or the end
 * of it.
 */
export async function actOfHold(id: ObjectId, isHeld: boolean, caller: Caller): Promise<Act[]> {
  if (!isAdmin(caller)) return [];
  const where = { _id: id, webhook_of: { $exists: false } };
  const found = await users.unscoped.findOne<{ username?: string }>(where, { projection: { username: 1 } });
  if (!found) return [];
  const target = { kind: 'user' as const, id, name: found.username ?? null };
  return [{ action: isHeld ? 'user.held' : 'user.released', target }];
}

/** The hold on an account, or its end, and its rate, each as an act. */
export async function actsOfUsage(
  id: ObjectId,
  { is_held, writes_per_second: rate }: { is_held?: boolean | undefined; writes_per_second?: number | null | undefined },
  caller: Caller,
): Promise<Act[]> {
  const held = is_held === undefined ? [] : await actOfHold(id, is_held, caller);
  const target = rate !== undefined && isAdmin(caller) ? await userTarget(id) : undefined;
  return target ? [...held, { action: 'user.rate_changed', target, details: rateDetails(rate) }] : held;
}

/** The details of a changed rate in the audit log. */
export const rateDetails = (perSecond: number | null | undefined): Record<string, string> => ({
  per_second: String(perSecond ?? 'default'),
});

type Changes = {
  is_admin?: boolean | undefined;
  is_active?: boolean | undefined;
  is_connected?: boolean | undefined;
  email?: string | undefined;
  password?: string | undefined;
  name?: string | undefined;
} & Partial<Record<Preference, unknown>>;

/**
 * The changes of an account, each as an act. Administrators who cease to be that, or deactivate
 * themselves, are recorded as well.
 */
export async function actsOfChanges(user: ObjectId | 'me', changes: Changes, caller: Caller): Promise<Act[]> {
  if (!isAdmin(caller)) return [];
  const id = user === 'me' ? caller.user._id : user;
  const isOwn = id.equals(caller.user._id);
  const { is_admin, is_active, is_connected, email, password } = changes;
  const isProfile = (['name', ...preferences] as const).some((one) => changes[one] !== undefined);
  const actions: (AuditAction | false)[] = [
    is_admin !== undefined && (is_admin ? 'user.promoted' : 'user.demoted'),
    is_active !== undefined && (is_active ? 'user.activated' : 'user.deactivated'),
    !isOwn && is_connected === false && 'user.disconnected',
    !isOwn && email !== undefined && 'user.email_changed',
    !isOwn && password !== undefined && 'user.password_changed',
    !isOwn && isProfile && 'user.profile_changed',
  ];
  const all = actions.filter((action) => action !== false);
  const target = all.length > 0 ? await userTarget(id) : undefined;
  return target ? all.map((action) => ({ action, target })) : [];
}

/** The deletion of an account by an administrator, including their own. */
export async function actOfDeletion(user: ObjectId | 'me', caller: Caller): Promise<Act[]> {
  if (!isAdmin(caller)) return [];
  const target = await userTarget(user === 'me' ? caller.user._id : user);
  return target ? [{ action: 'user.deleted', target }] : [];
}

/** The creation of an account by an administrator. */
export const actOfCreation = (username: string, is_admin: boolean | undefined, caller: Caller | undefined): Act[] =>
  isAdmin(caller) ? [createdUser(username, is_admin === true)] : [];

/** An account is created. */
export const createdUser = (username: string, is_admin: boolean): Act => ({
  action: 'user.created',
  target: { kind: 'user', id: null, name: username },
  details: { administrator: String(is_admin) },
});

/** The creation of a named token for another account, unless that is the caller's own bot. */
export async function actOfNewToken(
  user: ObjectId | undefined,
  { name, scopes = [] }: { name: string; scopes?: readonly string[] | undefined },
  caller: Caller,
): Promise<Act[]> {
  if (!isAdmin(caller) || (await isOwnBot(user, caller))) return [];
  return actOnUser(user, 'token.created', caller, { name, scopes: scopes.join(' ') || 'all' });
}

/** The end of another's session, or of another's named token. */
export async function actOnToken(id: ObjectId | 'current', kind: 'session' | 'api' | undefined, caller: Caller): Promise<Act[]> {
  if (!isAdmin(caller) || id === 'current' || id.equals(caller.token._id)) return [];
  const found = await tokenTarget(id, kind);
  if (!found || found.target.id?.equals(caller.user._id)) return [];
  const { target, details } = found;
  return [{ action: found.kind === 'session' ? 'user.sessions_ended' : 'token.revoked', target, details }];
}

/**
 * A change of a bot that only its owner may make otherwise. Only administrators can change the
 * owner.
 */
export async function actOnBot(
  bot: ObjectId,
  action: 'bot.changed' | 'bot.deleted',
  caller: Caller,
  owner?: ObjectId | null | undefined,
  more: Record<string, string> = {},
): Promise<Act[]> {
  if (!isAdmin(caller)) return [];
  const found = await users.findOne({ _id: bot, is_bot: true }, { projection: { username: 1, owner: 1 } });
  if (!found || (owner === undefined && found.owner?.equals(caller.user._id))) return [];
  const details = { ...(owner !== undefined && { owner: owner?.toHexString() ?? 'administrators' }), ...more };
  return [{ action, target: { kind: 'user', id: bot, name: found.username }, details }];
}

/** The settings of a bot's webhook, and the place from which it sends again. */
type WebhookChoice = {
  url?: string | undefined;
  is_enabled?: boolean | undefined;
  events?: string[] | undefined;
  messages?: string | undefined;
  new_secret?: boolean | undefined;
  room?: ObjectId | undefined;
  seq?: number | undefined;
};

/**
 * A change of a bot's webhook. The log has the host and the events, never the whole address, which
 * may contain a secret.
 */
export function actOnBotWebhook(bot: ObjectId, caller: Caller, choice: WebhookChoice): Promise<Act[]> {
  const { url, is_enabled, events, messages, new_secret, room, seq } = choice;
  return actOnBot(bot, 'bot.changed', caller, undefined, {
    ...hostDetail('webhook', url),
    ...(is_enabled !== undefined && { is_enabled: String(is_enabled) }),
    ...(events && { events: events.join(', ') }),
    ...(messages !== undefined && { messages }),
    ...(new_secret && { secret: 'replaced' }),
    ...(room && seq !== undefined && { room: room.toHexString(), seq: String(seq) }),
  });
}

/** The host of an address as a detail, never its whole address, which may have a secret in it. */
export const hostDetail = (name: string, url: string | undefined): Record<string, string> =>
  url !== undefined && URL.canParse(url) ? { [name]: new URL(url).host } : {};

/** The creation of a bot by an administrator. */
export const actOfNewBot = (username: string, caller: Caller): Act[] =>
  isAdmin(caller) ? [{ action: 'bot.created', target: { kind: 'user', id: null, name: username } }] : [];

const isOwnBot = async (user: ObjectId | undefined, caller: Caller): Promise<boolean> =>
  user !== undefined && (await users.findOne({ _id: user, owner: caller.user._id }, { projection: { _id: 1 } })) !== null;
