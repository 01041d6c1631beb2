import type { IndexDescription, ObjectId } from 'mongodb';
import type { Scope } from '../../api/scopes.ts';
import { collection } from '../../database/bounded.ts';
import { whereNone } from '../../database/engines.ts';

/** A credential of a user; its 32 characters are stored nowhere. */
export type TokenDocument = {
  _id: ObjectId;
  /** SHA-256 of the token, without salt: no table can hold 165 bits of randomness. */
  hash: Buffer;
  user: ObjectId;
  name: string;
  kind: 'session' | 'api';
  /** The scopes that it is confined to; an empty list does not confine it. */
  scopes: Scope[];
  /** An agent uses it: the messages that it sends show the name of the token. */
  is_agent?: true;
  /** The last four characters, to tell tokens apart in a list. */
  hint: string;
  /** For a session: it has ended if its user's `session_generation` is higher. */
  generation?: number;
  /** The session was begun with a passkey, which is both factors in one. */
  by_passkey?: true;
  /**
   * When the owner of a session last confirmed their identity; absent until they do so after the
   * start.
   */
  proven_at?: Date;
  /** When they last did so with a passkey. */
  passkey_used_at?: Date;
  /**
   * The session at the identity provider that it was begun by: the SHA-256 of its issuer and its
   * `sid`, in hexadecimal.
   */
  provider_session?: string;
  /** The app that the token was issued to by OAuth: then the document is its whole grant. */
  app?: AppGrant;
  /** The end of the access token of an app; `expires_at` is the end of the grant. */
  access_expires_at?: Date;
  created_at: Date;
  last_used_at: Date | null;
  expires_at: Date | null;
};

/** The access of an app, over many access tokens. Hashes are SHA-256, in hexadecimal. */
export type AppGrant = {
  client_id: string;
  /** The host that vouches for the app; null for an app that an administrator registered. */
  host: string | null;
  /** The host that got the code, or the scheme of an app. */
  returns_to: string;
  /** The address that the app asked to use. */
  resource: string | null;
  /** The hash of the authorization code. A replay of the code ends the grant. */
  code: string;
  /** The hash of the first half of all refresh tokens of the grant. */
  family: string;
  /** The hash of the second half of the latest one. */
  refresh: string;
};

export const tokenIndexes: IndexDescription[] = [
  { key: { hash: 1 }, name: 'hash', unique: true },
  { key: { user: 1 }, name: 'user' },
  { key: { user: 1, name: 1 }, name: 'user, name', unique: true, partialFilterExpression: { kind: 'api' } },
  { key: { expires_at: 1 }, name: 'expires_at', expireAfterSeconds: 0 },
  { key: { 'app.family': 1 }, name: 'app.family', sparse: true },
  { key: { provider_session: 1 }, name: 'provider_session', sparse: true },
];

/** The sessions and named tokens of all users. */
export const tokens = collection<Omit<TokenDocument, '_id'>>('tokens');

/**
 * The filter of tokens and other things that have not expired by the database's clock, whether or
 * not the TTL index has removed the rest.
 */
export const unexpired = { $expr: { $or: [{ $eq: ['$expires_at', null] }, { $gt: ['$expires_at', '$$NOW'] }] } };

/**
 * The filter of things that have not expired and never last longer than so many milliseconds. A
 * clock that was ahead may have written a later expiry: such a thing has expired as well.
 */
export const unexpiredWithin = (longest: unknown) =>
  whereNone({ $lte: ['$expires_at', '$$NOW'] }, { $gt: ['$expires_at', { $add: ['$$NOW', longest] }] });
