import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { decodeJwt, importJWK, SignJWT } from 'jose';
import Provider from 'oidc-provider';

/** The claims of the provider about a person. */
export type Claims = {
  preferred_username?: string;
  nickname?: string;
  name?: string;
  email?: string | undefined;
  email_verified?: boolean | string | undefined;
  groups?: string[];
};

/**
 * An identity provider (OpenID Connect) on this machine, whose people sign in with only their name.
 */
export type IdentityProvider = Awaited<ReturnType<typeof startIdentityProvider>>;

type Options = {
  callback: string;
  logout?: string;
  /** Set for a provider from before RFC 9207, which does not state its issuer in the redirect. */
  isOld?: boolean;
  /** Set if it identifies its sessions, in the tokens of sign-ins and sign-outs. */
  hasSessions?: boolean;
};

/** Starts an identity provider with these redirect addresses of the service. */
export async function startIdentityProvider({ callback, logout, isOld = false, hasSessions = false }: Options) {
  const people = new Map<string, Claims>();
  const client = (id: string) => ({
    client_id: id,
    client_secret: `secret of ${id}, for + and %`,
    redirect_uris: [callback],
    ...(logout && { backchannel_logout_uri: logout, backchannel_logout_session_required: hasSessions }),
  });
  const state = {
    mode: 'works' as 'works' | 'hangs' | 'fails' | 'floods' | 'shows other keys',
    asked: [] as string[],
    /** A false response to a code, as from a provider that lies. */
    tokens: undefined as object | undefined,
    /** Runs before it returns further claims about a person. */
    beforeUserinfo: undefined as (() => Promise<unknown>) | undefined,
    /** The `sid` of the last completed sign-in. */
    sid: '',
  };
  const server = createServer((request, response) => void answer(request, response));
  server.listen(0, '127.0.0.1').unref();
  await once(server, 'listening');
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  let key = aKey();
  const make = () => {
    const made = new Provider(issuer, {
      clients: [client('chat'), client('another')],
      jwks: { keys: [key] },
      // By default it would not send requests to this machine.
      fetch: (address: string, { method = 'GET', headers = {}, body = null }: RequestInit) =>
        fetch(address, { method, headers, body }),
      cookies: { keys: [randomBytes(16).toString('hex')] },
      // Without an address for claims, it puts them into the token.
      ...(isOld && { conformIdTokenClaims: false }),
      claims: {
        openid: ['sub'],
        profile: ['preferred_username', 'nickname', 'name', 'groups'],
        email: ['email', 'email_verified'],
      },
      features: { devInteractions: { enabled: false }, backchannelLogout: { enabled: true } },
      interactions: { url: (_context: unknown, { uid }: { uid: string }) => `/interaction/${uid}` },
      ttl: { Session: 3_600, Grant: 3_600, Interaction: 600, AccessToken: 600, IdToken: 600, AuthorizationCode: 60 },
      findAccount: (_context: unknown, id: string) =>
        people.has(id) ? { accountId: id, claims: () => ({ sub: id, ...people.get(id) }) } : undefined,
      loadExistingGrant: async (context: {
        oidc: { client: { clientId: string }; session: { accountId: string }; params: { scope: string } };
      }) => {
        const { client: asking, session, params } = context.oidc;
        const grant = new made.Grant({ clientId: asking.clientId, accountId: session.accountId });
        grant.addOIDCScope(params.scope);
        await grant.save();
        return grant;
      },
    });
    made.on('grant.success', ({ body }: { body: { id_token?: string } }) => {
      state.sid = body.id_token === undefined ? '' : String(decodeJwt(body.id_token).sid);
    });
    return made;
  };
  let provider = make();

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname } = new URL(request.url ?? '/', issuer);
    state.asked.push(pathname);
    if (state.mode === 'hangs') return;
    if (state.mode === 'fails') return void response.writeHead(500).end('<script>alert(1)</script>');
    if (state.mode === 'floods') return flood(response);
    if (isOld && pathname === '/.well-known/openid-configuration') {
      const [authorization_endpoint, token_endpoint, jwks_uri] = ['auth', 'token', 'jwks'].map((name) => `${issuer}/${name}`);
      response.setHeader('content-type', 'application/json');
      return void response.end(JSON.stringify({ issuer, authorization_endpoint, token_endpoint, jwks_uri }));
    }
    if (state.tokens && pathname === '/token') {
      response.setHeader('content-type', 'application/json');
      return void response.end(JSON.stringify(state.tokens));
    }
    if (state.mode === 'shows other keys' && pathname === '/jwks') {
      response.setHeader('content-type', 'application/jwk-set+json');
      const { kty, n, e, alg, use } = aKey();
      return void response.end(JSON.stringify({ keys: [{ kty, n, e, alg, use, kid: key.kid }] }));
    }
    if (pathname === '/me') await state.beforeUserinfo?.();
    if (!pathname.startsWith('/interaction/')) return provider.callback()(request, response);
    const { params } = await provider.interactionDetails(request, response);
    const typed = request.method === 'POST' ? new URLSearchParams(await text(request)).get('name') : params.login_hint;
    if (!typed) {
      response.setHeader('content-type', 'text/html');
      return void response.end(
        '<!doctype html><title>Provider</title><form method="post"><label>Name <input name="name"></label><button>Go</button></form>',
      );
    }
    const result = typed === 'nobody' ? { error: 'access_denied' } : { login: { accountId: typed } };
    await provider.interactionFinished(request, response, result);
  }

  return {
    issuer,
    settings: {
      OIDC_ISSUER: issuer,
      OIDC_CLIENT_ID: 'chat',
      OIDC_CLIENT_SECRET: client('chat').client_secret,
      OIDC_NAME: 'Example ID',
    },
    people,
    state,
    /** Changes the signing key, like a provider that was restarted. */
    rotateKeys: () => {
      key = aKey();
      provider = make();
    },
    /** Signs a person in at an address of the provider. Returns the parameters of its redirect. */
    signIn: (address: string, name: string) => followAs(address, name, callback),
    /** Signs a token like the provider. */
    sign: async (claims: Record<string, unknown>, by = key) =>
      new SignJWT(claims).setProtectedHeader({ alg: 'RS256', kid: key.kid }).sign(await importJWK(by, 'RS256')),
    /** Notifies the service of a sign-out. */
    signOut: async (name: string, sid = 'a session') => (await provider.Client.find('chat'))?.backchannelLogout(name, sid),
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

/**
 * A browser that keeps the provider's cookies and follows its redirects, until one leads back to
 * the service.
 */
async function followAs(address: string, name: string, callback: string): Promise<Record<string, string>> {
  const cookies = new Map<string, string>();
  let next = new URL(address);
  next.searchParams.set('login_hint', name);
  for (let hops = 0; hops < 10; hops++) {
    const cookie = [...cookies].map(([key, value]) => `${key}=${value}`).join('; ');
    const reply = await fetch(next, { redirect: 'manual', headers: { cookie } });
    for (const line of reply.headers.getSetCookie()) {
      const [, key = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      cookies.set(key, value);
    }
    const location = reply.headers.get('location');
    if (!location) throw new Error(`The provider answers ${reply.status}: ${(await reply.text()).slice(0, 1_000)}`);
    next = new URL(location, next);
    if (next.href.startsWith(callback)) return Object.fromEntries(next.searchParams);
  }
  throw new Error('The provider leads in circles.');
}

function flood(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'application/json' });
  const write = () => {
    while (!response.destroyed && response.write(Buffer.alloc(65_536, ' ')));
  };
  response.on('drain', write);
  write();
}

/** A key that is not the provider's. */
export const aKey = () => ({
  ...generateKeyPairSync('rsa', { modulusLength: 2_048 }).privateKey.export({ format: 'jwk' }),
  kid: randomBytes(6).toString('hex'),
  use: 'sig',
  alg: 'RS256',
});
