import { nearestName } from './nearest-name.ts';

/**
 * Every setting of the service, wherever it runs; docs/settings.md says what each means. A list of its own, because loading `config.ts` reads
 * the settings, which is too early where they are yet to be set.
 */
export const settingNames: readonly string[] = [
  'MONGODB_URI',
  'MONGODB_DATABASE',
  'MONGODB_POOL_SIZE',
  'DOCS_URL',
  'SOCKET_URL',
  'CORS_ORIGINS',
  'ROOM_MEMBERS',
  'PAGE_SIZE',
  'EVENT_DAYS',
  'FEED_PATIENCE',
  'BCRYPT_COST',
  'HSTS',
  'REGISTRATION',
  'ROOM_CREATION',
  'SMTP_URL',
  'MAIL_FROM',
  'PUBLIC_URL',
  'EMAIL_CONFIRMATION',
  'BRAND_NAME',
  'BRAND_COLOR',
  'SESSION_DAYS',
  'RATE_LIMITS',
  'WRITES_PER_SECOND',
  'WRITE_BURST',
  'SIGN_UPS_PER_HOUR',
  'SIGN_UPS_PER_DAY',
  'LOGINS_PER_MINUTE',
  'TOKENS_PER_USER',
  'SESSIONS_PER_USER',
  'ROOMS_PER_USER',
  'STRANGERS_PER_DAY',
  'METRICS',
  'LOG_LEVEL',
  'DATA_DIR',
  'DATABASE_PORT',
  'AUDIT_LOG',
  'HTTP_HOST',
  'HTTP_PORT',
  'WEBSOCKET_PORT',
  'WORKERS',
  'TRUST_PROXY',
  'MAX_CONNECTIONS',
  'METRICS_PORT',
  'BACKUP_DIR',
  'BACKUP_EVERY',
  'BACKUP_KEEP',
  'CONNECTION_LIMIT',
  'ALARM_EMAIL',
  'TRACING',
  'MONGODB_URI_VERSION',
  'SMTP_URL_VERSION',
  'CLOUDFRONT_SECRET',
  'CLOUDFRONT_SECRET_VERSION',
  'DOMAIN_NAME',
  'SOCKET_DOMAIN_NAME',
  'CERTIFICATE_ARN',
  'VPC_SUBNETS',
  'VPC_SECURITY_GROUPS',
  'RESOURCE_TAGS',
  'LOG_KEY_ARN',
];

/** A sentence for each variable whose name is almost that of a setting: it changes nothing, and whoever set it thinks that it does. */
export function misspelledSettings(environment: Record<string, string | undefined>): string[] {
  return Object.keys(environment).flatMap((name) => {
    const meant = settingNames.includes(name) ? undefined : nearestName(name, settingNames);
    return meant === undefined ? [] : [noSetting(name, meant)];
  });
}

/** The sentence about a name that no setting has. */
export const noSetting = (name: string, meant = nearestName(name, settingNames)): string =>
  `${name} is no setting${meant === undefined ? '' : `: did you mean ${meant}?`}`;
