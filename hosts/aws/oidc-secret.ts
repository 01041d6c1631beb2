import { config } from '../../lib/config.ts';
import { isParameter } from '../../lib/settings.ts';
import { readParameter } from './parameter.ts';

/** The secret of this service at the identity provider: what the SSM parameter says that is set instead. */
export const oidcSecret: string = isParameter(config.oidc.clientSecret)
  ? await readParameter(config.oidc.clientSecret.slice('ssm:'.length))
  : config.oidc.clientSecret;
