import { config } from '../../lib/config.ts';
import { isMailServer, isParameter } from '../../lib/settings.ts';
import { readParameter } from './parameter.ts';

/**
 * Where e-mails go out: what the SSM parameter says that is set instead. It is read with the first e-mail, and again with
 * the next one if that fails: `notify` tells devices as well, which need no e-mail.
 */
export async function readSmtpUrl(): Promise<string> {
  reading ??= read(config.smtpUrl);
  try {
    return await reading;
  } catch (error) {
    reading = undefined;
    throw error;
  }
}

let reading: Promise<string> | undefined;

async function read(setting: string): Promise<string> {
  if (!isParameter(setting)) return setting;
  const name = setting.slice('ssm:'.length);
  const value = await readParameter(name);
  if (!isMailServer(value))
    throw new Error(`The SSM parameter ${name} is not the address of a mail server: smtps:// or smtp://.`);
  return value;
}
