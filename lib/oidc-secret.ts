import { config } from './config.ts';
import { ConfigError, isParameter } from './settings.ts';

for (const { id, clientSecret } of config.identityProviders)
  if (isParameter(clientSecret))
    throw new ConfigError(
      id === 'default'
        ? 'Set OIDC_CLIENT_SECRET to the secret itself: only a deployment on AWS reads it from a parameter of SSM.'
        : `Set the client_secret of '${id}' in OIDC_PROVIDERS to the secret itself: only a deployment on AWS reads it from a parameter of SSM.`,
    );

/**
 * The secrets of this service at the identity providers, by the ids of these; an empty one for a public client. In the
 * bundles for AWS, `hosts/aws/oidc-secret.ts` takes the place of this module.
 */
export const oidcSecrets: ReadonlyMap<string, string> = new Map(
  config.identityProviders.map(({ id, clientSecret }) => [id, clientSecret]),
);
