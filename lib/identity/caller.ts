import { ObjectId } from 'mongodb';
import type { Scope } from '../api/scopes.ts';
import { adminRequired, type HttpError, permissionDenied, type Refusal } from '../base/errors.ts';
import type { TokenDocument } from '../collections/accounts/tokens.ts';
import type { SecondFactorDocument, UserDocument } from '../collections/accounts/users.ts';

/**
 * A caller: the user of a valid token, and that token. A webhook is one without a token: it may
 * send to the room that has it, and is a member of none.
 */
export type Caller = {
  isWebhook?: true;
  /** The token; `agent` is its name if an agent uses it, `isOfApp` true if OAuth issued it. */
  token: Pick<TokenDocument, '_id' | 'kind' | 'scopes'> & { agent?: string; isOfApp?: true };
  user: Pick<
    UserDocument,
    | '_id'
    | 'username'
    | 'name'
    | 'avatar'
    | 'status'
    | 'quiet_until'
    | 'quiet_hours'
    | 'shows_presence'
    | 'hides_push_text'
    | 'email_digest'
    | 'email'
    | 'is_admin'
    | 'is_active'
    | 'created_at'
    | 'blocked'
    | 'writes_per_second'
    | 'is_bot'
    | 'owner'
    | 'identity'
  > & { second_factor?: Pick<SecondFactorDocument, 'since'> };
  /** The account must set up a second factor first, and may do nothing else. */
  mustSetUpSecondFactor?: boolean;
  /** The address of the request, for the audit log; only there for administrators. */
  source?: string;
  /** The time of the token's lookup by the database's clock; absent for the command line. */
  at?: Date;
};

/** 403: the thing would outlast the access token of an app, which may be stolen. */
export const appRefused: Refusal = () =>
  permissionDenied('app_refused', 'Connections and pushes are not for apps that sign in by OAuth.');

/** 403 for an app that signed in by OAuth. */
export function refuseApp({ token }: Caller): void {
  if (token.isOfApp) throw appRefused();
}

const nobody = new ObjectId('0'.repeat(24));

/** The administrators' command line, which acts as an administrator without an account. */
export const commandLine: Caller = {
  token: { _id: nobody, kind: 'api', scopes: [] },
  user: { _id: nobody, username: '', email: '', is_admin: true, is_active: true, created_at: new Date(0) },
};

/** The webhook of this account as a caller. */
export const webhookCaller = (account: Pick<UserDocument, '_id' | 'username' | 'name' | 'is_bot'>): Caller => ({
  isWebhook: true,
  token: { _id: nobody, kind: 'api', scopes: [] },
  user: { ...account, email: '', is_admin: false, is_active: true, created_at: new Date(0) },
});

/** A bot as a caller, for what it says when it is asked. */
export const botCaller = (user: Caller['user']): Caller => ({ token: { _id: nobody, kind: 'api', scopes: [] }, user });

/** A user as a caller, for messages that are sent to the user later. */
export const readerCaller = (user: Caller['user']): Caller => ({ token: { _id: nobody, kind: 'api', scopes: [] }, user });

/** The id of the actor in the feed; null for the command line. */
export const actorId = (caller: Caller): ObjectId | null => (caller === commandLine ? null : caller.user._id);

/** True if a caller is an administrator. If the token has scopes, `admin` must be among them. */
export const isAdmin = (caller: Caller | undefined): boolean =>
  caller?.user.is_admin === true && (caller.token.scopes.length === 0 || caller.token.scopes.includes('admin'));

export const secondFactorSetupRequired: Refusal = () =>
  permissionDenied('second_factor_setup_required', 'The account must have a second factor: set one up first.');

/** Refuses, with 403, everyone but administrators. */
export function requireAdmin(caller: Caller | undefined): void {
  if (!isAdmin(caller)) throw adminRequired();
}

/** Refuses, with 403, changes of an account by others than its user and administrators. */
export function requireOwnAccount(id: ObjectId | 'me' | undefined, caller: Caller | undefined): void {
  if (id === undefined || id === 'me' || id.equals(caller?.user._id)) return;
  requireAdmin(caller);
}

export const unscopedTokenRequired: Refusal = () =>
  permissionDenied('unscoped_token_required', 'A token without scopes is required.');

/**
 * Refuses a token with scopes (403) for actions that would give its bearer more than the scopes do.
 */
export function requireUnscopedToken(caller: Caller | undefined): void {
  if (caller && caller.token.scopes.length > 0) throw unscopedTokenRequired();
}

/** 403: the token is confined to scopes, and this is not among them. */
export const scopeRequired = (scope: Scope): HttpError =>
  permissionDenied('scope_required', `The token lacks the '${scope}' scope.`);

/** Refuses, with 403, a token whose scopes do not include this one. */
export function requireScope(caller: Caller | undefined, scope: Scope): void {
  const scopes = caller?.token.scopes ?? [];
  if (scopes.length > 0 && !scopes.includes(scope)) throw scopeRequired(scope);
}

/** The id that a path has for a user: `me` is the caller's own. */
export const userIdFor = (id: ObjectId | 'me', caller: Caller): ObjectId => (id === 'me' ? caller.user._id : id);
