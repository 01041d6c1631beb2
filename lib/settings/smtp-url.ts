import { fromConfig } from './config.ts';
import { withoutParameter } from './settings.ts';

const smtpUrl = fromConfig((config) => withoutParameter(config.smtpUrl, 'SMTP_URL to the address of a mail server'));

/** Where e-mails go out. In the bundles for AWS, `hosts/aws/smtp-url.ts` takes the place of this module. */
export const readSmtpUrl = async (): Promise<string> => smtpUrl();
