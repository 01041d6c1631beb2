import { fromConfig } from './config.ts';
import { keysIn } from './setting-rules.ts';
import { withoutParameter } from './settings.ts';

/**
 * The keys that encrypt what the database must not show; the first encrypts, all decrypt. In the bundles for AWS,
 * `hosts/aws/secret-keys.ts` takes the place of this module.
 */
export const secretKeys = fromConfig(
  ({ secretKey }): readonly Buffer[] => keysIn(withoutParameter(secretKey, 'SECRET_KEY to a key')) ?? [],
);
