import { defaultProvider, type IdentityProvider } from './identity-providers.ts';
import { bucketPattern } from './setting-rules.ts';
import { ConfigError, filesDirectory, readSetting, type SettingName } from './settings.ts';

/** The service's settings. Every one has a default, except the address of the database. */
export type Config = Readonly<ReturnType<typeof readConfig>>;

/**
 * Reads the settings of the functions from an environment; throws a `ConfigError` that names the
 * first variable with an unusable value.
 */
export function readConfig(environment: Record<string, string | undefined>) {
  const read = <Name extends SettingName>(name: Name) => readSetting(name, environment);
  const smtpUrl = read('SMTP_URL');
  const publicUrl = read('PUBLIC_URL');
  const mailFrom = read('MAIL_FROM');
  const emailConfirmation = read('EMAIL_CONFIRMATION');
  if (smtpUrl && !publicUrl) throw new ConfigError('Set PUBLIC_URL to the address of the service: e-mails have links to it.');
  if (smtpUrl && !/^[^\r\n]*@[^\r\n]+$/.test(mailFrom))
    throw new ConfigError('Set MAIL_FROM to the sender of e-mails, such as Chat <chat@example.org>.');
  const secretKey = read('SECRET_KEY');
  const requireSecondFactor = read('REQUIRE_2FA');
  if (requireSecondFactor !== 'off' && !secretKey)
    throw new ConfigError(`Set SECRET_KEY as well: REQUIRE_2FA=${requireSecondFactor} needs a key.`);
  if (emailConfirmation === 'required' && !smtpUrl)
    throw new ConfigError('Set SMTP_URL as well: EMAIL_CONFIRMATION=required needs a mail server.');
  const signIn = read('SIGN_IN');
  const identityProviders = identityProvidersOf(environment, publicUrl);
  if (signIn === 'oidc' && identityProviders.length === 0)
    throw new ConfigError('Set OIDC_ISSUER as well: SIGN_IN=oidc leaves no other way to sign in.');

  return {
    /** Read on first use: functions without a database do not have it. */
    get mongodbUri() {
      return read('MONGODB_URI');
    },
    /**
     * The secrets that CloudFront may send; without any, requests do not come through it. Read on
     * first use: only functions with requests have them.
     */
    get cloudfrontSecrets() {
      return read('CLOUDFRONT_SECRET');
    },
    /**
     * The regular backups of the embedded database, and the milliseconds between two. Read on first
     * use: only `serve` makes backups.
     */
    get backups() {
      return { directory: read('BACKUP_DIR'), every: read('BACKUP_EVERY') };
    },
    mongodbDatabase: read('MONGODB_DATABASE'),
    mongodbPoolSize: read('MONGODB_POOL_SIZE'),
    docsUrl: read('DOCS_URL').replace(/\/+$/, ''),
    /** Where WebSockets are opened: a path of the service's, or an address of its own. */
    socketUrl: read('SOCKET_URL'),
    corsOrigins: read('CORS_ORIGINS'),
    roomMembers: read('ROOM_MEMBERS'),
    pageSize: read('PAGE_SIZE'),
    retentionDays: read('RETENTION_DAYS'),
    auditDays: read('AUDIT_DAYS'),
    eventDays: read('EVENT_DAYS'),
    /** In milliseconds. */
    feedPatience: read('FEED_PATIENCE') * 1_000,
    bcryptCost: read('BCRYPT_COST'),
    hsts: read('HSTS'),
    registration: read('REGISTRATION'),
    roomCreation: read('ROOM_CREATION'),
    invitations: read('INVITATIONS'),
    botCreation: read('BOT_CREATION'),
    /**
     * The server for outgoing e-mail; empty to send none. On AWS it is `ssm:` and the name of a
     * parameter.
     */
    smtpUrl,
    mailFrom,
    /** Where people reach the service: what a request says of it is not to be trusted. */
    publicUrl,
    emailConfirmation,
    /** The site that passkeys are made for. */
    passkeys: passkeySite(publicUrl, signIn),
    /**
     * Encrypts the secrets of second factors. If it is empty, nobody can turn one on. On AWS it is
     * `ssm:` and the name of a parameter.
     */
    secretKey,
    requireSecondFactor,
    /** Push services besides those of the usual browsers: names of hosts, or origins. */
    pushHosts: read('PUSH_HOSTS'),
    hasPushText: read('PUSH_TEXT') === 'on',
    /** Agents may use the service by MCP, only read, or neither. */
    mcp: read('MCP'),
    /** The issuer of OAuth; undefined if apps cannot sign in. */
    oauthIssuer: read('OAUTH') === 'on' ? URL.parse(publicUrl)?.origin : undefined,
    /** Hosts of this network that may describe apps. */
    oauthHosts: read('OAUTH_HOSTS'),
    /** How many messages programs may exchange without a person; 0 for any number. */
    botTurns: read('BOT_TURNS'),
    webhookHosts: read('WEBHOOK_HOSTS'),
    /** The identity providers for sign-in, in the order of their buttons. */
    identityProviders,
    /** True if people may sign in with passwords. */
    takesPasswords: signIn === 'all',
    brandName: read('BRAND_NAME'),
    brandColor: read('BRAND_COLOR'),
    /** Of the page; the first is for browsers that ask for none of them. */
    languages: read('LANGUAGES'),
    /**
     * The place of the files, with the most bytes of a file, and of the files of an account and of
     * all. Without a directory and a bucket, files cannot be sent.
     */
    files: {
      directory: filesDirectory(environment),
      bucket: bucketOf(read('FILES'), environment),
      size: read('FILE_SIZE'),
      perUser: read('FILES_PER_USER'),
      inAll: read('FILES_IN_ALL'),
    },
    sessionDays: read('SESSION_DAYS'),
    limits: {
      /** True if requests are limited. Password guesses always are. */
      areOn: read('RATE_LIMITS') === 'on',
      writesPerSecond: read('WRITES_PER_SECOND'),
      writeBurst: read('WRITE_BURST'),
      signUpsPerHour: read('SIGN_UPS_PER_HOUR'),
      signUpsPerDay: read('SIGN_UPS_PER_DAY'),
      loginsPerMinute: read('LOGINS_PER_MINUTE'),
      tokensPerUser: read('TOKENS_PER_USER'),
      sessionsPerUser: read('SESSIONS_PER_USER'),
      roomsPerUser: read('ROOMS_PER_USER'),
      strangersPerDay: read('STRANGERS_PER_DAY'),
    },
    /**
     * How long the service waits for other services, and for clients that read their socket too
     * slowly, in milliseconds. Not settings, but tests shorten them.
     */
    patienceMs: {
      database: 3_000,
      pushService: 5_000,
      receiver: 5_000,
      identityProvider: 4_000,
      mailServer: 3_000,
      slowClient: 30_000,
    },
    metrics: read('METRICS') === 'on',
    logLevel: read('LOG_LEVEL'),
  };
}

/** The identity provider of `OIDC_ISSUER`, if it is set, and those of the list. */
function identityProvidersOf(environment: Record<string, string | undefined>, publicUrl: string): IdentityProvider[] {
  const read = <Name extends SettingName>(name: Name) => readSetting(name, environment);
  const issuer = read('OIDC_ISSUER');
  const listed = read('OIDC_PROVIDERS');
  // Read in any case: a value that is wrong shows at the start.
  const first = {
    id: defaultProvider,
    name: read('OIDC_NAME'),
    issuer,
    clientId: read('OIDC_CLIENT_ID'),
    clientSecret: read('OIDC_CLIENT_SECRET'),
    scopes: read('OIDC_SCOPES'),
    groupsClaim: read('OIDC_GROUPS_CLAIM'),
    adminGroup: read('OIDC_ADMIN_GROUP'),
    groupRooms: read('OIDC_GROUP_ROOMS'),
    linksByEmail: read('OIDC_LINK_BY_EMAIL') === 'on',
    claimsImported: read('OIDC_CLAIM_IMPORTED') === 'on',
    signUp: read('OIDC_SIGN_UP'),
  };
  if (issuer && !first.clientId) throw new ConfigError('Set OIDC_CLIENT_ID as well: OIDC_ISSUER needs it.');
  if (listed.some((provider) => provider.issuer === issuer))
    throw new ConfigError('Set OIDC_PROVIDERS to providers other than that of OIDC_ISSUER.');
  const named = issuer ? 'OIDC_ISSUER' : 'OIDC_PROVIDERS';
  if ((issuer || listed.length > 0) && !publicUrl)
    throw new ConfigError(`Set PUBLIC_URL to the address of the service: the identity provider of ${named} leads back to it.`);
  return issuer ? [first, ...listed] : listed;
}

/**
 * The site of passkeys: its name, and the origin of its pages. `PUBLIC_URL` is required, because
 * anyone may claim a `Host`. `obstacle` if it is missing, if browsers refuse it, or if all sign-ins
 * use the identity provider.
 */
function passkeySite(publicUrl: string, signIn: 'all' | 'oidc') {
  const { protocol, hostname = '', origin = '' } = URL.parse(publicUrl) ?? {};
  const isLocal = /^(.+\.)?localhost$/.test(hostname);
  const isAddress = /^[\d.]+$|^\[/.test(hostname);
  const obstacle =
    signIn === 'oidc'
      ? 'identity_provider'
      : publicUrl === ''
        ? 'no_public_url'
        : isAddress || !(protocol === 'https:' || isLocal)
          ? 'unsuitable_public_url'
          : undefined;
  return obstacle === undefined ? { id: hostname, origin } : { obstacle: obstacle as Obstacle };
}

/** Why no passkeys are used. */
type Obstacle = 'identity_provider' | 'no_public_url' | 'unsuitable_public_url';

/** A bucket of an object store. */
export type Bucket = {
  name: string;
  /** The prefix of its object keys: empty, or ending with `/`. */
  prefix: string;
  readonly endpoint: string;
  readonly region: string;
  readonly credentials: { accessKeyId: string; secretAccessKey: string; sessionToken?: string };
};

function bucketOf(place: string, environment: Record<string, string | undefined>): Bucket | undefined {
  const endpoint = readSetting('FILES_ENDPOINT', environment);
  const region = readSetting('FILES_REGION', environment);
  const [, name, path = ''] = bucketPattern.exec(place) ?? [];
  if (name === undefined) return undefined;
  return {
    name,
    prefix: path === '' ? '' : `${path.slice(1)}/`,
    // Read on first use: a deployment on AWS names the address, and Lambda provides the rest.
    get endpoint() {
      if (endpoint !== '') return endpoint;
      throw new ConfigError('Set FILES_ENDPOINT to the address of the object store, such as https://s3.example.org.');
    },
    get region() {
      return region || environment.AWS_REGION || 'us-east-1';
    },
    get credentials() {
      const { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey, AWS_SESSION_TOKEN: token } = environment;
      if (!accessKeyId || !secretAccessKey)
        throw new ConfigError('Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY: FILES names an object store, which needs them.');
      return { accessKeyId, secretAccessKey, ...(token && { sessionToken: token }) };
    },
  };
}

/** The settings of this process. Read them when they are used: tests replace them. */
export let config: Config = Object.freeze(readConfig(process.env));

/** Replaces the settings of this process. Only tests do. */
export function replaceConfig(next: Config): void {
  config = Object.freeze(next);
  for (const follow of followers) follow();
}

const followers: (() => void)[] = [];

/** Calls `follow` now, and again each time the settings are replaced. */
export function followConfig(follow: () => void): void {
  followers.push(follow);
  follow();
}

/**
 * A value computed from the settings: at once, so that an invalid one fails at the start, and again
 * if they are replaced.
 */
export function fromConfig<T>(make: (config: Config) => T): () => T {
  let made = { from: config, value: make(config) };
  return () => {
    if (made.from !== config) made = { from: config, value: make(config) };
    return made.value;
  };
}

/** True if this process is a Lambda function, which may be frozen after each response. */
export const isOnLambda = process.env.AWS_LAMBDA_FUNCTION_NAME !== undefined;
