import { config } from '../../lib/config.ts';
import { isParameter, keysIn } from '../../lib/settings.ts';
import { readParameter } from './parameter.ts';

/** The keys that encrypt what the database must not show: what the SSM parameter says that is set instead. */
export const secretKeys: readonly Buffer[] = await read(config.secretKey);

async function read(setting: string): Promise<readonly Buffer[]> {
  if (!isParameter(setting)) return keysIn(setting) ?? [];
  const name = setting.slice('ssm:'.length);
  const keys = keysIn(await readParameter(name));
  if (!keys?.length)
    throw new Error(
      `The SSM parameter ${name} is not a key of 32 bytes in Base64 or hexadecimal, or several separated by commas.`,
    );
  return keys;
}
