import type { ObjectId } from 'mongodb';
import { distinct } from '../api/extended-json.ts';
import { endedProviderSessions } from '../collections/accounts/ended-provider-sessions.ts';
import { tokens } from '../collections/accounts/tokens.ts';
import { insertWithTimes } from '../database/writes.ts';
import { hashToken } from '../identity/authenticate.ts';
import { deleteTokensOf } from '../identity/tokens.ts';

/*
 * A session at an identity provider may have started several sessions here. When it ends, this is
 * recorded first, and then these sessions end. A new session is stored first, and then looks for
 * the record. So none survives, in either order.
 */

/** The longest accepted `sid`. */
const longestSid = 1_000;

/**
 * The key of a provider's session, for which `sid` is unique there. Undefined for an invalid `sid`.
 */
export const providerSessionOf = (issuer: string, sid: unknown): string | undefined =>
  typeof sid === 'string' && sid !== '' && sid.length <= longestSid ? hashToken(JSON.stringify([issuer, sid])) : undefined;

/** Ends the sessions of one session at a provider; returns their owners. */
export async function endProviderSession(session: string): Promise<ObjectId[]> {
  await noteEnd(session);
  const found = await tokens.find({ provider_session: session }, { projection: { user: 1 } }).toArray();
  const owners = distinct(found.map(({ user }) => user));
  for (const user of owners) await deleteTokensOf(user, { kind: 'session', provider_session: session });
  return owners;
}

/**
 * Ends the sessions of a user that belong to one session at the provider. It also ends sessions
 * without a known provider session, from an earlier version or another way to sign in.
 */
export async function endProviderSessionOf(user: ObjectId, session: string): Promise<void> {
  const isOfIt = { $or: [{ provider_session: session }, { provider_session: { $exists: false } }] };
  await deleteTokensOf(user, { kind: 'session', ...isOfIt });
}

/**
 * Ends the session of a sign-in that was under way while its session at the provider ended; returns
 * whether it had.
 */
export async function endIfEnded(user: ObjectId, session: string): Promise<boolean> {
  if ((await endedProviderSessions.findOne({ _id: session }, { projection: { _id: 1 } })) === null) return false;
  await deleteTokensOf(user, { kind: 'session', provider_session: session });
  return true;
}

/** Records that a session at a provider has ended, also for a sign-in in progress. */
export const noteEnd = (session: string) =>
  insertWithTimes(endedProviderSessions, { _id: session }, { expires_at: { $add: ['$$NOW', notedForMs] } });

/** True if a logout token was used before. */
export const isTokenUsed = async (token: string): Promise<boolean> =>
  (await endedProviderSessions.findOne({ _id: token }, { projection: { _id: 1 } })) !== null;

/** Records that a logout token was used, for longer than it is valid. */
export const noteTokenUse = (token: string) =>
  insertWithTimes(endedProviderSessions, { _id: token }, { expires_at: { $add: ['$$NOW', 2 * notedForMs] } });

/** For how many milliseconds an end is noted: a provider's code is exchanged within seconds. */
const notedForMs = 600_000;
