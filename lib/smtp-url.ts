import { config } from './config.ts';
import { ConfigError, isParameter } from './settings.ts';

if (isParameter(config.smtpUrl))
  throw new ConfigError(
    'Set SMTP_URL to the address of a mail server: only a deployment on AWS reads it from a parameter of SSM.',
  );

/** Where e-mails go out. In the bundles for AWS, `hosts/aws/smtp-url.ts` takes the place of this module. */
export const readSmtpUrl = async (): Promise<string> => config.smtpUrl;
