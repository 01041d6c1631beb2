import { config } from '../../lib/settings/config.ts';
import { keysIn } from '../../lib/settings/setting-rules.ts';
import { readSecret } from './parameter.ts';

const rule = 'a key of 32 bytes in Base64 or hexadecimal, or several separated by commas';
const isUsable = (value: string) => Boolean(keysIn(value)?.length);

/** The keys that encrypt what the database must not show: what the SSM parameter says that is set instead. */
export const secretKeys: readonly Buffer[] = keysIn(await readSecret(config.secretKey, isUsable, rule)) ?? [];
