import { config } from '../../lib/settings/config.ts';
import { isMailServer } from '../../lib/settings/setting-rules.ts';
import { readSecret } from './parameter.ts';

const rule = 'the address of a mail server: smtps:// or smtp://';

/**
 * Where e-mails go out: what the SSM parameter says that is set instead. It is read with the first e-mail, and again with
 * the next one if that fails: `notify` tells devices as well, which need no e-mail.
 */
export async function readSmtpUrl(): Promise<string> {
  reading ??= readSecret(config.smtpUrl, isMailServer, rule);
  try {
    return await reading;
  } catch (error) {
    reading = undefined;
    throw error;
  }
}

let reading: Promise<string> | undefined;
