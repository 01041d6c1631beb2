import { expect } from 'vitest';
import type { IdentityProvider } from './identity-provider.ts';
import { inProcess as call } from './transports.ts';

/** The cookies of a browser, and its session token. */
export class CookieJar {
  readonly cookies = new Map<string, string>();

  async post(path: string, body: object) {
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const headers = { 'x-forwarded-proto': 'https', ...(cookie && { cookie }) };
    const reply = await call('POST', path, { body, headers });
    const [, name, value] = /^([^=]+)=([^;]*)/.exec(reply.headers['set-cookie'] ?? '') ?? [];
    if (name) this.cookies.set(name, value ?? '');
    return reply;
  }

  get session() {
    return this.cookies.get('__Host-session');
  }
}

/** Starts a sign-in, and returns the provider's address for the browser. */
export async function begin(browser: CookieJar, sent: object = {}): Promise<string> {
  const { status, body } = await browser.post('/api/oidc/start', sent);
  expect(status).toBe(201);
  return (body as { url: string }).url;
}

/** Completes a whole sign-in through the provider. */
export async function signInBy(
  provider: IdentityProvider,
  person: string,
  { browser = new CookieJar(), sent = {} }: { browser?: CookieJar; sent?: { provider?: string } & Record<string, unknown> } = {},
) {
  const back = await provider.signIn(await begin(browser, sent), person);
  const led = sent.provider === undefined ? {} : { provider: sent.provider };
  return { browser, ...(await browser.post('/api/oidc/callback', { ...answerOf(back), ...led })) };
}

/** The parameters of the provider's redirect that the page forwards. */
export const answerOf = ({ code, state, iss }: Record<string, string>) => ({ code, state, iss });

type SignedIn = { user: { _id: { $oid: string }; username: string; email: string; is_admin: boolean }; path: string };

/** The account of a sign-in. */
export const userOf = ({ body }: { body: unknown }) => (body as SignedIn).user;
