import { config } from '../../lib/config.ts';
import { isMailServer, isParameter } from '../../lib/settings.ts';
import { readParameter } from './parameter.ts';

/** Where e-mails go out: what the SSM parameter says that is set instead. */
export const smtpUrl: string = await read(config.smtpUrl);

async function read(setting: string): Promise<string> {
  if (!isParameter(setting)) return setting;
  const name = setting.slice('ssm:'.length);
  const value = await readParameter(name);
  if (!isMailServer(value))
    throw new Error(`The SSM parameter ${name} is not the address of a mail server: smtps:// or smtp://.`);
  return value;
}
