import { dateSchema } from '../api/extended-json.ts';
import { about, anyText, optional, type Values, withDefault } from '../api/parameters.ts';
import { aText, described, record, type Shown } from '../api/schema.ts';
import { permissionDenied, type Refusal, tooManyRequests } from '../base/errors.ts';
import type { OidcRequestDocument } from '../collections/accounts/oidc-requests.ts';
import type { UserDocument } from '../collections/accounts/users.ts';
import { rememberAddress } from '../credentials/login-limits.ts';
import { accountDeactivated, createSession } from '../credentials/sessions.ts';
import type { Caller } from '../identity/caller.ts';
import { exampleUser, shownUser } from '../identity/users.ts';
import { applyGroupRooms } from '../members/group-rooms.ts';
import { config } from '../settings/config.ts';
import { defaultProvider, type IdentityProvider } from '../settings/identity-providers.ts';
import { accountRefusals, applyGroup, claimWithCode, findOrCreateAccount, linkAccount } from './accounts.ts';
import { type Person, personOf } from './people.ts';
import { noProvider, readPerson, requireProvider, signInRefused } from './provider.ts';
import { endIfEnded } from './provider-sessions.ts';
import { providerId, signInExpired, takeRequest } from './requests.ts';

/** The parameters from the provider's redirect. */
export const callbackParameters = {
  code: about('The `code` that the identity provider gave.', anyText),
  state: about('The `state` that it gave back.', anyText),
  iss: about('The `iss` that it gave, if it did.', optional(anyText)),
  provider: about(
    'The last part of the redirect address `/oidc/...`, if there was one.',
    withDefault(providerId, defaultProvider),
  ),
};

/** A completed sign-in. */
export const signInSchema = record(
  'OidcSignIn',
  {
    user: described('The account.', shownUser.schema),
    path: described('The address where the page continues.', aText),
    expires_at: described(
      'The time of expiry of the session; absent if an account was connected and keeps its session.',
      dateSchema,
    ),
  },
  ['expires_at'],
);

/** Examples for the documentation. */
export const exampleAnswer = {
  code: 'SplxlOBeZQQYbYS6WxSbIA',
  state: '0a1b2c3d4e5f6g7h8i9j0k1l2m3n4o5p',
  iss: 'https://id.example.org',
};
export const exampleSignIn: Shown<typeof signInSchema> = {
  user: exampleUser,
  path: '/',
  expires_at: { $date: '2026-12-21T09:05:06.531Z' },
};

const otherAccount: Refusal = () => permissionDenied('other_account', 'You are now signed in with another account. Start again.');
export const callbackRefusals = [
  noProvider,
  signInExpired,
  signInRefused,
  accountDeactivated,
  otherAccount,
  ...accountRefusals,
  tooManyRequests,
];

/** The source of a request, and the secret in its browser's cookie. */
type Origin = { source: string; agent: string | undefined; secret: string | undefined };

type SignIn = Shown<typeof signInSchema> & { token?: string };

/**
 * Completes a sign-in. It finds or creates the account of the person and starts a session, or links
 * the person to the account that started the sign-in. Throws 403 if another browser has started it,
 * or if it was completed before.
 */
export async function completeSignIn(
  { code, state, iss, provider: led }: Values<typeof callbackParameters>,
  { source, agent, secret }: Origin,
  caller: Caller | undefined,
): Promise<SignIn> {
  requireProvider();
  const request = await takeRequest(state, secret);
  const { nonce, verifier, path, invitation, account, claim } = request;
  const provider = providerOf(request, led);
  if (account && !caller?.user._id.equals(account.user)) throw otherAccount();
  const person = personOf(await readPerson(provider, { code, state, iss, nonce, verifier }), provider);
  if (account) return { user: shownUser.show(await linkAccount(person, account)), path };
  const { user, isNew } = claim
    ? { user: await claimWithCode(person, claim), isNew: false }
    : await findOrCreateAccount(person, provider, { invitation, source });
  const next = invitation === undefined || isNew ? path : `/join#${invitation}`;
  const applied = await applyGroup(user, person, provider);
  if (applied.is_active) await applyGroupRooms(applied._id, person.rooms);
  const session = await beginSession(applied, { source, agent }, person);
  return { ...session, path: next };
}

/**
 * The provider of a sign-in. Throws 403 if another provider returned the browser, before the code
 * of that one is sent to the first (RFC 9700, 4.4). Also throws if the provider is not configured
 * any longer.
 */
function providerOf({ issuer }: OidcRequestDocument, led: string): IdentityProvider {
  const found = config.identityProviders.find((one) =>
    issuer === undefined ? one.id === defaultProvider : one.issuer === issuer,
  );
  if (!found || found.id !== led) throw signInRefused();
  return found;
}

/** Starts the session of a person who signed in at the provider. All such sessions start here. */
async function beginSession(user: UserDocument, { source, agent }: Omit<Origin, 'secret'>, person: Person) {
  if (!user.is_active) throw accountDeactivated();
  const { session: ofProvider } = person;
  const by = ofProvider === undefined ? {} : { provider_session: ofProvider };
  const [session] = await Promise.all([
    createSession(user, agent, by, signInRefused),
    rememberAddress(user._id.toHexString(), source),
  ]);
  if (ofProvider !== undefined && (await endIfEnded(user._id, ofProvider))) throw signInRefused();
  return { ...session, user: shownUser.show(user) };
}
