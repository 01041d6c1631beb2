import { endSessions } from '../accounts/sessions.ts';
import { users } from '../collections/users.ts';
import { invalidParameter, type Refusal } from '../errors.ts';
import { log } from '../log.ts';
import { noProvider, readSigned, requireProvider, signInRefused } from './provider.ts';

const invalidToken: Refusal = () => invalidParameter('logout_token', 'be a logout token that the identity provider has signed');
export const logoutRefusals = [invalidToken, noProvider, signInRefused];

/**
 * Ends all sessions of the person that a logout token names (OpenID Connect Back-Channel Logout 1.0); 400 for anything
 * else. Named tokens stay: programs go on while people sign out in the evening.
 */
export async function logOut(form: string): Promise<void> {
  requireProvider();
  const token = form.length <= longest ? new URLSearchParams(form).get('logout_token') : null;
  if (!token) throw invalidToken();
  const { iss, sub, nonce, jti, events } = await readSigned(token, { maxTokenAge: '10 minutes', requiredClaims: ['iat', 'jti'] });
  const isLogout = typeof events === 'object' && events !== null && Object.hasOwn(events, logoutEvent);
  // With a nonce it may be the token of a sign-in. Sessions are not told apart by the provider's: `sub` must be there.
  if (!isLogout || nonce !== undefined || typeof jti !== 'string' || !iss || !sub) throw invalidToken();
  const ended = await users.findOneAndUpdate(
    { 'identity.subject': sub, 'identity.issuer': iss },
    { $inc: { session_generation: 1 } },
    { returnDocument: 'after', projection: { session_generation: 1 } },
  );
  if (!ended) return;
  await endSessions(ended._id, ended.session_generation, undefined);
  log('info', 'security', { event: 'sessions ended by the identity provider', whom: ended._id.toHexString() });
}

const logoutEvent = 'http://schemas.openid.net/event/backchannel-logout';

/** How many characters a form is read with. */
const longest = 16_384;
