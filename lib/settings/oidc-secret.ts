import { fromConfig } from './config.ts';
import { withoutParameter } from './settings.ts';

/** The service's secrets at the identity providers, by provider; empty for a public client. */
export const oidcSecrets = fromConfig(
  ({ identityProviders }): ReadonlyMap<string, string> =>
    new Map(
      identityProviders.map(({ id, clientSecret }) => {
        const setting = id === 'default' ? 'OIDC_CLIENT_SECRET' : `the client_secret of '${id}' in OIDC_PROVIDERS`;
        return [id, withoutParameter(clientSecret, `${setting} to the secret itself`)];
      }),
    ),
);
