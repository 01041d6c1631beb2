import { config } from '../../lib/settings/config.ts';
import { keysIn } from '../../lib/settings/setting-rules.ts';
import { readSecret } from './parameter.ts';

const rule = 'a key of 32 bytes in Base64 or hexadecimal, or several separated by commas';
const isUsable = (value: string) => Boolean(keysIn(value)?.length);

const keys = keysIn(await readSecret(config.secretKey, isUsable, rule)) ?? [];

/** The keys that encrypt what the database must not show. `SECRET_KEY` names the SSM parameter that has them. */
export const secretKeys = (): readonly Buffer[] => keys;
