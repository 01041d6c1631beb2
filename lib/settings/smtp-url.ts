import { fromConfig } from './config.ts';
import { readParameter } from './parameters.ts';
import { isMailServer, isParameter } from './setting-rules.ts';
import { withoutParameter } from './settings.ts';

const smtpUrl = fromConfig(({ smtpUrl }) =>
  readParameter ? smtpUrl : withoutParameter(smtpUrl, 'SMTP_URL to the address of a mail server'),
);

/**
 * The address of the mail server. If it is an SSM parameter, it is read for the first e-mail, and
 * again after a failure. Functions that seldom send e-mails must not depend on it.
 */
export async function readSmtpUrl(): Promise<string> {
  const url = smtpUrl();
  if (!readParameter || !isParameter(url)) return url;
  reading ??= readFrom(url.slice('ssm:'.length), readParameter);
  try {
    return await reading;
  } catch (error) {
    reading = undefined;
    throw error;
  }
}

let reading: Promise<string> | undefined;

async function readFrom(name: string, read: (name: string) => Promise<string>): Promise<string> {
  const value = await read(name);
  if (isMailServer(value)) return value;
  throw new Error(`The SSM parameter ${name} is not the address of a mail server: smtps:// or smtp://.`);
}
