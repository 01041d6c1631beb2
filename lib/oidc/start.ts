import type { ObjectId } from 'mongodb';
import type { CodeClaim } from '../accounts/claims.ts';
import { about, flag, optional, type Parameter, type Values, withDefault } from '../api/parameters.ts';
import { aText, described, record } from '../api/schema.ts';
import { invalidParameter, tooManyRequests, unauthenticated } from '../base/errors.ts';
import { users } from '../collections/accounts/users.ts';
import { countSignIn } from '../credentials/anonymous-limits.ts';
import { codeParameter, findCode, noSuchCode } from '../credentials/codes.ts';
import { freshSignInRequired, requireFreshSession } from '../credentials/fresh-sessions.ts';
import type { Caller } from '../identity/caller.ts';
import { invitationCode } from '../members/invitations.ts';
import { config } from '../settings/config.ts';
import type { IdentityProvider } from '../settings/identity-providers.ts';
import { noProvider, requireProvider, signInAddress, signInRefused } from './provider.ts';
import { beginRequest, providerId } from './requests.ts';

/** A path on this site. Paths that a browser would take for another site's address are rejected. */
const pagePath: Parameter<string> = {
  read: (sent) => (typeof sent === 'string' && isPagePath.test(sent) ? sent : undefined),
  rule: 'be a path of the page, such as /rooms',
  schema: { type: 'string', pattern: '^/([A-Za-z0-9_-][A-Za-z0-9_/?=&#%.-]{0,500})?$' },
};

const isPagePath = /^\/([A-Za-z0-9_-][A-Za-z0-9_/?=&#%.-]{0,500})?$/;

/** The parameters that start a sign-in. */
export const startParameters = {
  provider: about(
    'The identity provider, by its id in `OIDC_PROVIDERS`; without one, that of the first button.',
    optional(providerId),
  ),
  path: about('The address where the page continues afterwards.', withDefault(pagePath, '/')),
  invitation: about('The code of an invitation to a room, which a new account joins.', optional(invitationCode)),
  link: about(
    'Whether the provider’s person is linked to the account of the caller, whose session must be less than ten minutes old.',
    withDefault(flag, false),
  ),
  code: about(
    'A code for a new password. It connects the person at the provider with the account instead, also if passwords are off.',
    optional(codeParameter),
  ),
};

/** The start of a sign-in. */
export const startSchema = record('OidcStart', {
  url: described('The address at the identity provider to open.', aText),
});

export const startRefusals = [noProvider, signInRefused, freshSignInRequired, noSuchCode, unauthenticated, tooManyRequests];

/**
 * Starts a sign-in at an identity provider. Its secrets are stored for ten minutes. Returns the
 * address for the browser, and the secret for a cookie that binds the sign-in to the browser.
 */
export async function startSignIn(
  { provider: id, path, invitation, link, code }: Values<typeof startParameters>,
  source: string,
  caller: Caller | undefined,
): Promise<{ url: string; state: string; secret: string }> {
  requireProvider();
  const provider = providerBy(id);
  const account = link ? await accountToLink(caller) : undefined;
  await countSignIn(source);
  const claim = code === undefined || link ? undefined : await claimOf(code);
  const { state, secret, nonce, verifier } = await beginRequest({ issuer: provider.issuer, path, invitation, account, claim });
  const url = await signInAddress(provider, { state, nonce, verifier });
  return { url: url.href, state, secret };
}

/** The account of a code; 404 for a code of another kind. */
async function claimOf(code: string): Promise<CodeClaim> {
  const { _id, account } = await findCode(code);
  if (!account) throw noSuchCode();
  return { ...account, code: _id };
}

function providerBy(id: string | undefined): IdentityProvider {
  const [first] = config.identityProviders;
  const found = id === undefined ? first : config.identityProviders.find((one) => one.id === id);
  if (!found) throw invalidParameter('provider', providerId.rule);
  return found;
}

// The account to link. The person at the provider can sign in to it afterwards, so an old session
// that was left open does not suffice.
async function accountToLink(caller: Caller | undefined): Promise<{ user: ObjectId; generation: number }> {
  if (!caller) throw unauthenticated();
  await requireFreshSession(caller);
  const { _id } = caller.user;
  const user = await users.findOne({ _id }, { projection: { session_generation: 1 } });
  if (!user) throw unauthenticated();
  return { user: _id, generation: user.session_generation };
}
