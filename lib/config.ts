/** The service's settings. Every one has a default, except the address of the database. */
export type Config = Readonly<ReturnType<typeof readConfig>>;

/** Who can create accounts, and rooms. */
export const registrations = ['open', 'invited', 'closed'] as const;
export const roomCreations = ['admins', 'users'] as const;

/** Whether whoever signs up must show that the e-mail address is theirs. */
export const emailConfirmations = ['off', 'required'] as const;

/** Whether a text is the address of a mail server. */
export const isMailServer = (text: string): boolean => /^smtps?:\/\/[^\s/]+/.test(text);

/** Whether it is the name of an SSM parameter, which may stand for a secret in a deployment on AWS. */
export const isParameter = (text: string): boolean => /^ssm:(\/[\w.-]+)+$/.test(text);

/** Reads the settings from an environment; throws a `ConfigError` that names the first variable with an unusable value. */
export function readConfig(environment: Record<string, string | undefined>) {
  const text = (name: string, fallback: string) => environment[name]?.trim() || fallback;

  const integer = (name: string, fallback: number, least: number, most: number) => {
    const value = Number(text(name, String(fallback)));
    if (Number.isInteger(value) && value >= least && value <= most) return value;
    throw new ConfigError(`Set ${name} to a whole number from ${least} to ${most}, not '${environment[name]}'.`);
  };

  const oneOf = <const Choice extends string>(name: string, fallback: Choice, choices: readonly Choice[]) => {
    const value = text(name, fallback);
    const choice = choices.find((candidate) => candidate === value);
    if (choice !== undefined) return choice;
    throw new ConfigError(`Set ${name} to one of ${choices.join(', ')}, not '${value}'.`);
  };

  const color = (name: string, fallback: string) => {
    const value = text(name, fallback);
    if (/^#[0-9a-f]{6}$/i.test(value)) return value;
    throw new ConfigError(`Set ${name} to a colour such as ${fallback}, not '${value}'.`);
  };

  const origins = (name: string, fallback: string) => {
    const values = text(name, fallback).split(/[\s,]+/);
    const wrong = values.find((value) => value !== '*' && (!URL.canParse(value) || new URL(value).origin !== value));
    if (wrong === undefined) return values;
    throw new ConfigError(`Set ${name} to * or to origins such as https://chat.example.org, not '${wrong}'.`);
  };

  const smtpUrl = text('SMTP_URL', '');
  const publicUrl = text('PUBLIC_URL', '').replace(/\/+$/, '');
  const mailFrom = text('MAIL_FROM', '');
  const emailConfirmation = oneOf('EMAIL_CONFIRMATION', 'off', emailConfirmations);
  if (smtpUrl && !isMailServer(smtpUrl) && !isParameter(smtpUrl))
    throw new ConfigError('Set SMTP_URL to the address of a mail server that starts with smtps:// or smtp://.');
  if (/^https?:\/\/[^\s/]+\/\S+$/.test(publicUrl))
    throw new ConfigError(
      `Set PUBLIC_URL to an address without a path, not '${publicUrl}': the service needs a host name, or a port, of its own.`,
    );
  if (publicUrl && !/^https?:\/\/[^\s/]+$/.test(publicUrl))
    throw new ConfigError(`Set PUBLIC_URL to an address such as https://chat.example.org, not '${publicUrl}'.`);
  if (smtpUrl && !publicUrl) throw new ConfigError('Set PUBLIC_URL to the address of the service: e-mails have links to it.');
  if (smtpUrl && !/^[^\r\n]*@[^\r\n]+$/.test(mailFrom))
    throw new ConfigError('Set MAIL_FROM to the sender of e-mails, such as Chat <chat@example.org>.');
  if (emailConfirmation === 'required' && !smtpUrl)
    throw new ConfigError('Set SMTP_URL as well: EMAIL_CONFIRMATION=required needs a mail server.');

  return {
    /** Read when it is asked for: functions without a database have none. */
    get mongodbUri() {
      return mongodbUri(text('MONGODB_URI', ''));
    },
    mongodbDatabase: text('MONGODB_DATABASE', 'chat'),
    mongodbPoolSize: integer('MONGODB_POOL_SIZE', 5, 1, 500),
    docsUrl: text('DOCS_URL', '/docs').replace(/\/+$/, ''),
    /** Where WebSockets are opened: a path of the service's, or an address of its own. */
    socketUrl: text('SOCKET_URL', '/socket'),
    corsOrigins: origins('CORS_ORIGINS', '*'),
    roomMembers: integer('ROOM_MEMBERS', 1_000, 1, 10_000),
    pageSize: integer('PAGE_SIZE', 50, 1, 200),
    eventDays: integer('EVENT_DAYS', 30, 1, 3_650),
    feedPatience: integer('FEED_PATIENCE', 35, 1, 600) * 1_000,
    bcryptCost: integer('BCRYPT_COST', 12, 4, 16),
    hsts: oneOf('HSTS', 'host', ['host', 'subdomains']),
    registration: oneOf('REGISTRATION', 'open', registrations),
    roomCreation: oneOf('ROOM_CREATION', 'admins', roomCreations),
    /** Where e-mails go out; none are sent where it is empty. On AWS it is `ssm:` and the name of a parameter. */
    smtpUrl,
    mailFrom,
    /** Where people reach the service: what a request says of it is not to be trusted. */
    publicUrl,
    emailConfirmation,
    brandName: text('BRAND_NAME', 'Chat'),
    brandColor: color('BRAND_COLOR', '#0f766e'),
    sessionDays: integer('SESSION_DAYS', 30, 1, 3650),
    limits: {
      /** Whether everyone's requests are limited: for a bench or a closed house they need not be. Guesses of passwords always are. */
      areOn: oneOf('RATE_LIMITS', 'on', ['on', 'off']) === 'on',
      writesPerSecond: integer('WRITES_PER_SECOND', 10, 1, 10_000),
      writeBurst: integer('WRITE_BURST', 50, 1, 100_000),
      signUpsPerHour: integer('SIGN_UPS_PER_HOUR', 10, 1, 100_000),
      signUpsPerDay: integer('SIGN_UPS_PER_DAY', 100, 1, 100_000),
      loginsPerMinute: integer('LOGINS_PER_MINUTE', 20, 1, 10_000),
      tokensPerUser: integer('TOKENS_PER_USER', 100, 1, 10_000),
      sessionsPerUser: integer('SESSIONS_PER_USER', 50, 1, 10_000),
      roomsPerUser: integer('ROOMS_PER_USER', 1_000, 1, 100_000),
      strangersPerDay: integer('STRANGERS_PER_DAY', 50, 1, 100_000),
    },
    metrics: oneOf('METRICS', 'off', ['off', 'on']) === 'on',
    logLevel: oneOf('LOG_LEVEL', 'info', ['debug', 'info', 'error', 'silent']),
  };
}

/** A setting has an unusable value; the message names the setting and says what it should be. */
export class ConfigError extends Error {
  override name = 'ConfigError';
}

function mongodbUri(value: string): string {
  if (/^mongodb(\+srv)?:\/\//.test(value)) return value;
  throw new ConfigError(
    value
      ? `Set MONGODB_URI to a connection string that starts with mongodb:// or mongodb+srv://.`
      : `Set MONGODB_URI to the connection string of a MongoDB database, or start with 'npm start', which brings its own.`,
  );
}

/** The settings of this process. */
export const config: Config = Object.freeze(readConfig(process.env));

/** Whether this process is a Lambda function, which may be frozen as soon as it has answered. */
export const isOnLambda = process.env.AWS_LAMBDA_FUNCTION_NAME !== undefined;
