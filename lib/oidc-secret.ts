import { config } from './config.ts';
import { ConfigError, isParameter } from './settings.ts';

if (isParameter(config.oidc.clientSecret))
  throw new ConfigError(
    'Set OIDC_CLIENT_SECRET to the secret itself: only a deployment on AWS reads it from a parameter of SSM.',
  );

/**
 * The secret of this service at the identity provider; empty for a public client. In the bundles for AWS,
 * `hosts/aws/oidc-secret.ts` takes the place of this module.
 */
export const oidcSecret: string = config.oidc.clientSecret;
