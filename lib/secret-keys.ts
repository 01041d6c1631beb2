import { config } from './config.ts';
import { ConfigError, isParameter, keysIn } from './settings.ts';

if (isParameter(config.secretKey))
  throw new ConfigError('Set SECRET_KEY to a key: only a deployment on AWS reads it from a parameter of SSM.');

/**
 * The keys that encrypt what the database must not show; the first encrypts, all decrypt. In the bundles for AWS,
 * `hosts/aws/secret-keys.ts` takes the place of this module.
 */
export const secretKeys: readonly Buffer[] = keysIn(config.secretKey) ?? [];
