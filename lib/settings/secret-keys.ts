import { fromConfig } from './config.ts';
import { keysIn } from './setting-rules.ts';
import { withoutParameter } from './settings.ts';

/** The keys that encrypt secrets in the database. The first encrypts; all decrypt. */
export const secretKeys = fromConfig(
  ({ secretKey }): readonly Buffer[] => keysIn(withoutParameter(secretKey, 'SECRET_KEY to a key')) ?? [],
);
