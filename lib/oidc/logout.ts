import type { ObjectId } from 'mongodb';
import { invalidParameter, type Refusal } from '../base/errors.ts';
import { log } from '../base/log.ts';
import { users } from '../collections/accounts/users.ts';
import { endSessions } from '../credentials/sessions.ts';
import { hashToken } from '../identity/authenticate.ts';
import { noProvider, readSigned, requireProvider, signInRefused } from './provider.ts';
import {
  endProviderSession,
  endProviderSessionOf,
  isTokenUsed,
  noteEnd,
  noteTokenUse,
  providerSessionOf,
} from './provider-sessions.ts';

const invalidToken: Refusal = () => invalidParameter('logout_token', 'be a logout token that the identity provider has signed');
export const logoutRefusals = [invalidToken, noProvider, signInRefused];

/**
 * Ends sessions on a logout token (OpenID Connect Back-Channel Logout 1.0): with `sub` all of a
 * person, with `sid` those of one provider session. 400 for anything else. Named tokens stay valid:
 * programs continue after people sign out.
 */
export async function logOut(form: string): Promise<void> {
  requireProvider();
  const token = form.length <= longest ? new URLSearchParams(form).get('logout_token') : null;
  if (!token) throw invalidToken();
  const claims = await readSigned(token, { maxTokenAge: '10 minutes', requiredClaims: ['iat', 'jti'] });
  const { iss = '', sub, sid, nonce, jti, events } = claims;
  const isLogout = typeof events === 'object' && events !== null && Object.hasOwn(events, logoutEvent);
  // With a nonce it may be the token of a sign-in.
  if (!isLogout || nonce !== undefined || typeof jti !== 'string') throw invalidToken();
  const session = providerSessionOf(iss, sid);
  const isNamed = sub === undefined ? session !== undefined : typeof sub === 'string' && sub !== '';
  if (!isNamed || (sid !== undefined && session === undefined)) throw invalidToken();
  const id = hashToken(JSON.stringify(['logout token', iss, jti]));
  // Somebody who found a token in a log must not end later sessions with it.
  if (await isTokenUsed(id)) throw invalidToken();
  if (sub !== undefined) await endSessionsOf({ 'identity.subject': sub, 'identity.issuer': iss }, session);
  else for (const user of await endProviderSession(session ?? '')) logEnd(user);
  // Afterwards: a provider sends a token again if this failed.
  await noteTokenUse(id);
}

async function endSessionsOf(
  owner: { 'identity.subject': string; 'identity.issuer': string },
  session: string | undefined,
): Promise<void> {
  if (session !== undefined) await noteEnd(session);
  const projection = { session_generation: 1 } as const;
  // One write ends all, also that of a sign-in that is about to be completed.
  const user =
    session === undefined
      ? await users.findOneAndUpdate(owner, { $inc: { session_generation: 1 } }, { returnDocument: 'after', projection })
      : await users.findOne(owner, { projection });
  if (!user) return;
  if (session === undefined) await endSessions(user._id, user.session_generation, undefined);
  else await endProviderSessionOf(user._id, session);
  logEnd(user._id);
}

const logEnd = (user: ObjectId) =>
  log('info', 'security', { event: 'sessions ended by the identity provider', whom: user.toHexString() });

const logoutEvent = 'http://schemas.openid.net/event/backchannel-logout';

/** How many characters a form is read with. */
const longest = 16_384;
