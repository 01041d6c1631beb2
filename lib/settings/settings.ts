import { join } from 'node:path';
import { providerSignUps } from './identity-providers.ts';
import { nearestName } from './nearest-name.ts';
import {
  bucketPattern,
  byteCount,
  connectionString,
  filesPlace,
  gatewaySecrets,
  groupRooms,
  hosts,
  isParameter,
  issuer,
  languageList,
  mailServer,
  matching,
  oneOf,
  origins,
  ownAddress,
  providerList,
  type Rule,
  scopeList,
  secret,
  secretKey,
  storeAddress,
  text,
  timeSpan,
  wholeNumber,
  wordOr,
} from './setting-rules.ts';

/*
 * Every setting of the service, for every host, in one table. `config.ts` and the server read
 * settings by it, and docs/settings.md is generated from it. This module does not read the
 * environment, unlike `config.ts`: plugins and the server set settings first.
 */

/** A setting: a variable of the environment. */
export type Setting<T = unknown> = {
  rule: Rule<T>;
  /** The value if the variable is not set. */
  fallback: string;
  /** The documented default, if it is not `fallback`. */
  shown?: string;
  /** The meaning, in Markdown. */
  meaning: string;
  /**
   * The reader: the functions wherever they run, a server on a machine, `npm run serve` alone, or a
   * deployment on AWS.
   */
  where: 'service' | 'machine' | 'serve' | 'aws';
  /** The option of `npm run serve`. */
  option?: string;
};

/** The longest retention in days, if messages are not kept for ever: a hundred years. */
export const longestRetention = 36_500;

const readBy =
  (where: Setting['where']) =>
  <T>(rule: Rule<T>, fallback: string, meaning: string, more: Pick<Setting, 'shown' | 'option'> = {}): Setting<T> => ({
    where,
    rule,
    fallback,
    meaning,
    ...more,
  });
const service = readBy('service');
const machine = readBy('machine');
const serve = readBy('serve');
/** The deployment itself checks these. */
const aws = (meaning: string, fallback = '') => readBy('aws')(text, fallback, meaning);

/* The words that the API shows as well. */
export const registrations = ['open', 'invited', 'closed'] as const;
export const roomCreations = ['admins', 'users'] as const;
export const invitationMakers = ['members', 'moderators'] as const;
export const botCreations = ['admins', 'users'] as const;
export const emailConfirmations = ['off', 'required'] as const;

export const settings = {
  MONGODB_URI: machine(
    connectionString,
    '',
    'Connection string of a MongoDB replica set. On AWS, it is in a [parameter](deploying.md#2-the-connection-string).',
    { shown: 'the embedded database' },
  ),
  DATA_DIR: machine(text, './data', 'Directory of the embedded database.'),
  DATABASE_PORT: machine(
    text,
    '',
    'Port of the embedded database on `127.0.0.1`, besides its socket in `DATA_DIR`. Every user of the machine can use it without a password.',
  ),
  AUDIT_LOG: machine(text, '', 'File that records each command of `npm run admin` as a line.', {
    shown: '`audit.log` in `DATA_DIR`, if that exists',
  }),
  WEBSOCKET_PORT: machine(wholeNumber(0, 65_535), '3001', 'Port of the [WebSockets](push.md) under `npm start`.'),
  HTTP_PORT: machine(wholeNumber(0, 65_535), '3000', 'Port of the API; 0 is any free port.', { option: 'port' }),
  HTTP_HOST: serve(text, 'localhost', 'Address to listen on; `0.0.0.0` and `::` are all addresses.', {
    option: 'host',
  }),
  WORKERS: serve(
    wordOr('auto', wholeNumber(0, 256)),
    '1',
    'Processes that share the port; `auto` is one for each core. A process that fails is replaced.',
    { option: 'workers' },
  ),
  TRUST_PROXY: serve(
    wholeNumber(0, 16),
    '0',
    'Number of reverse proxies in front of the server, whose `X-Forwarded-For` is trusted.',
    { option: 'trust-proxy' },
  ),
  MAX_CONNECTIONS: serve(
    wholeNumber(0, 65_535),
    '10000',
    'Connections per process. Up to half may be WebSockets. One address, or IPv6 network of 64 bits, may have up to a quarter, unless a proxy is trusted.',
    { option: 'max-connections' },
  ),
  PRESENCE: serve(
    oneOf('on', 'off'),
    'on',
    '`off`: turns off [presence](push.md#presence). AWS and `npm start` do not support it.',
    { option: 'presence' },
  ),
  METRICS_PORT: serve(wordOr('', wholeNumber(0, 65_535)), '', 'Port of [`/metrics`](operating.md#monitoring), for Prometheus.', {
    option: 'metrics-port',
  }),
  BACKUP_DIR: serve(text, '', 'Directory for regular [backups](self-hosting.md#backup-and-restore) of the embedded database.', {
    option: 'backup-dir',
  }),
  BACKUP_EVERY: serve(timeSpan, '24h', 'Time between backups, such as `30m`, `12h` or `7d`.', {
    option: 'backup-every',
  }),
  BACKUP_KEEP: serve(wholeNumber(0, 10_000), '7', 'Number of regular backups that are kept.', {
    option: 'backup-keep',
  }),
  FILES: service(
    wordOr('off', filesPlace),
    '',
    'Place of the files that people send: a directory that all servers of a database share, or a bucket of an [object store](self-hosting.md#files-in-an-object-store), such as `s3://chat-files/prefix`. `off`: files cannot be sent.',
    { shown: '`files` in `DATA_DIR`; `off` with `MONGODB_URI`; on AWS, a bucket of the deployment' },
  ),
  FILES_ENDPOINT: service(
    storeAddress,
    '',
    'Address of the object store, such as `https://s3.example.org`. Browsers must reach it. `AWS_ACCESS_KEY_ID` and `AWS_SECRET_ACCESS_KEY` sign the requests.',
    { shown: 'none; on AWS, S3 in the region of the deployment' },
  ),
  FILES_REGION: service(matching(/^[a-z\d-]*$/, 'a region such as eu-central-1'), '', 'Region of the object store.', {
    shown: '`AWS_REGION`, or else `us-east-1`',
  }),
  FILE_SIZE: service(byteCount, '25MB', 'Size of the largest file.'),
  FILES_PER_USER: service(byteCount, '2GB', 'Size of all files of one account.'),
  FILES_IN_ALL: service(byteCount, '20GB', 'Size of all files of the service.'),
  MONGODB_DATABASE: service(text, 'chat', 'Name of the database.'),
  MONGODB_POOL_SIZE: service(
    wholeNumber(1, 500),
    '5',
    'Database connections per process. Under `npm run serve`, also the number of concurrent requests; others wait in order for up to 5 seconds.',
    { shown: '`5`; `2` on AWS; `20` under `npm start` and `npm run serve`' },
  ),
  DOCS_URL: service(text, '/docs', 'Address of the documentation; the 406 error links to `<DOCS_URL>/api/json`.'),
  SOCKET_URL: service(
    text,
    '/socket',
    'Address of the [WebSockets](push.md): a path of the service, or an address such as `wss://socket.example.org`.',
    { shown: "`/socket`; the gateway's on AWS and under `npm start`" },
  ),
  REGISTRATION: service(
    oneOf(...registrations),
    'open',
    '`invited`: only people with an invitation to a room can sign up. `closed`: only administrators create accounts. [Reserved names](../lib/identity/reserved-names.ts) such as `admin` always need an administrator.',
  ),
  ROOM_CREATION: service(
    oneOf(...roomCreations),
    'users',
    '`users`: everyone can create rooms, with `POST /api/directory`. `admins`: only administrators can. `POST /api/rooms` is for administrators in both cases.',
  ),
  INVITATIONS: service(
    oneOf(...invitationMakers),
    'members',
    '`members`: every member of a room can invite people to it and add them. `moderators`: only its moderators and owners can; the links of other members stop working.',
  ),
  BOT_CREATION: service(
    oneOf(...botCreations),
    'admins',
    '`users`: everyone can create up to 10 [bots](bots.md), and is their owner.',
  ),
  SMTP_URL: service(
    mailServer,
    '',
    'Mail server for password links, invitations and [digests](notifications.md#by-e-mail), such as `smtps://user:password@mail.example.org`. On AWS, the [name of a parameter](deploying.md#e-mail). `smtp://` encrypts if the server offers it; append `?requireTLS=true` to require it. Needs `MAIL_FROM` and `PUBLIC_URL`.',
  ),
  MAIL_FROM: service(text, '', 'Sender of e-mails, such as `Chat <chat@example.org>`.'),
  PUBLIC_URL: service(
    ownAddress,
    '',
    'Public address of the service, such as `https://chat.example.org`, without a path, a query or a password. Used for links in e-mails, for [passkeys](passkeys.md), and to recognise the service’s own pages, whatever a proxy sends.',
  ),
  PUSH_HOSTS: service(
    hosts,
    '',
    'Additional push services for [notifications](notifications.md), besides those of common browsers: host names, or origins, which may be within your network.',
  ),
  PUSH_TEXT: service(
    oneOf('on', 'off'),
    'on',
    '`off`: [notifications](notifications.md) show the author and the room, never the text.',
  ),
  MCP: service(
    oneOf('on', 'read', 'off'),
    'on',
    '[Agents](agents.md) by `POST /api/mcp`: `on`, `read` (they read and change nothing), or `off`.',
  ),
  OAUTH: service(
    oneOf('on', 'off'),
    'on',
    '[Apps that sign in by OAuth](agents.md#apps-that-sign-in). They need `PUBLIC_URL`. With `off`, agents and programs use tokens from the settings.',
  ),
  OAUTH_HOSTS: service(
    hosts,
    '',
    'Hosts within your network whose [client metadata documents](agents.md#apps-and-their-client-ids) the service may read. Other hosts in your network are refused. Host names, or origins, which may use plain HTTP.',
  ),
  BOT_TURNS: service(
    wholeNumber(0, 1_000),
    '8',
    'Messages that bots and [agents](agents.md#two-bots-that-answer-each-other) may exchange in a thread or a direct conversation before a person must write, or 10 minutes pass; 0: any number.',
  ),
  WEBHOOK_HOSTS: service(
    hosts,
    '',
    'Receivers of outgoing [webhooks](webhooks.md#outgoing-webhooks) within your network. Other hosts there are refused. Host names, or origins, which may use plain HTTP.',
  ),
  EMAIL_CONFIRMATION: service(
    oneOf(...emailConfirmations),
    'off',
    '`required`: a new account, or a new address of an account, needs a code sent to that address. Needs `SMTP_URL`.',
  ),
  SECRET_KEY: service(
    secretKey,
    '',
    'Key of 32 bytes (`openssl rand -base64 32`). Encrypts the secrets of [second factors](second-factor.md), which need it, and the [key of push notifications](notifications.md#the-key). Several keys are separated by commas: the first encrypts, [all decrypt](second-factor.md#the-key). On AWS, the [name of a parameter](deploying.md#second-factor).',
  ),
  REQUIRE_2FA: service(
    oneOf('off', 'admins', 'all'),
    'off',
    '`admins` or `all`: users who must set up a [second factor](second-factor.md#require-it) before they can do anything else. Needs `SECRET_KEY`.',
  ),
  OIDC_ISSUER: service(
    issuer,
    '',
    'Issuer of the identity provider for [sign-in](sign-in.md) (OpenID Connect), such as `https://id.example.org/realms/staff`. Needs `OIDC_CLIENT_ID` and `PUBLIC_URL`.',
  ),
  OIDC_CLIENT_ID: service(text, '', 'Client id of the service at the identity provider.'),
  OIDC_CLIENT_SECRET: service(
    secret,
    '',
    'Client secret of the service at the identity provider. On AWS, the [name of a parameter](deploying.md#an-identity-provider). Without it, the provider must accept public clients.',
  ),
  OIDC_NAME: service(text, 'single sign-on', 'Name of the identity provider, for the button “Sign in with ...”.'),
  OIDC_SCOPES: service(scopeList, 'openid profile email', 'Scopes to request from the identity provider.'),
  OIDC_GROUPS_CLAIM: service(text, 'groups', 'Claim with the groups of a person.'),
  OIDC_ADMIN_GROUP: service(
    text,
    '',
    'Group whose members become administrators when they sign in, until they sign in without it.',
  ),
  OIDC_GROUP_ROOMS: service(
    groupRooms,
    '',
    '[Rooms of groups](sign-in.md#rooms-by-groups), in JSON, such as `{"engineers":["6b0163a4327fbcafc916e187"]}`. Members of a group join its rooms when they sign in, until they sign in without the group.',
  ),
  OIDC_LINK_BY_EMAIL: service(
    oneOf('off', 'on'),
    'off',
    '`on`: the first sign-in by the identity provider opens the existing account with the same confirmed e-mail address.',
  ),
  OIDC_CLAIM_IMPORTED: service(
    oneOf('off', 'on'),
    'on',
    '`off`: a first sign-in by the identity provider opens an [imported account](moving.md#how-people-get-their-accounts) only with a link from an administrator, not by its e-mail address.',
  ),
  OIDC_SIGN_UP: service(
    oneOf(...providerSignUps),
    'all',
    '`invited`: people of the identity provider need an invitation to a room to get an account.',
  ),
  OIDC_PROVIDERS: service(
    providerList,
    '',
    '[More identity providers](sign-in.md#several-providers), as a list in JSON. Each has `id`, `name`, `issuer` and `client_id`, and optionally the other settings above. On AWS, each `client_secret` is the name of a parameter.',
  ),
  SIGN_IN: service(
    oneOf('all', 'oidc'),
    'all',
    '`oidc`: people sign in and sign up by the identity provider only. Passwords and passkeys are turned off.',
  ),
  BRAND_NAME: service(text, 'Chat', 'Name of the web client, in its title and on its icon.'),
  BRAND_COLOR: service(matching(/^#[0-9a-f]{6}$/i, 'a colour such as #0f766e'), '#0f766e', 'Accent colour of the web client.'),
  LANGUAGES: service(
    languageList,
    'en,de,ar',
    'Languages of the web client, separated by commas: `en`, `de` (German), `ar` (Arabic). The page uses the language chosen in its settings, the browser’s language, or the first of the list.',
  ),
  SESSION_DAYS: service(wholeNumber(1, 3_650), '30', 'Lifetime of a session in days.'),
  ROOM_MEMBERS: service(wholeNumber(1, 10_000), '1000', 'Members that a room may have.'),
  PAGE_SIZE: service(wholeNumber(1, 200), '50', 'Items per page of a list, if a request does not set `limit`: 1 to 200.'),
  RETENTION_DAYS: service(
    wholeNumber(0, longestRetention),
    '0',
    'Days after which messages and files are [permanently deleted](operating.md#how-long-messages-are-kept). 0: never. The owner of a room can choose fewer.',
  ),
  AUDIT_DAYS: service(wholeNumber(30, 36_500), '365', 'Days to keep the [audit log](audit.md).'),
  EVENT_DAYS: service(wholeNumber(1, 3_650), '30', 'Days for which clients can resume the feed of a room.'),
  FEED_PATIENCE: service(
    wholeNumber(1, 600),
    '35',
    'Seconds until a feed skips the gap of a killed function. Servers that know all processes of their database wait 2 seconds at most.',
  ),
  CORS_ORIGINS: service(
    origins,
    '*',
    'Origins whose pages may call the API, separated by commas, such as `https://chat.example.org`.',
  ),
  HSTS: service(
    oneOf('host', 'subdomains'),
    'host',
    '`subdomains`: browsers also use HTTPS for all subdomains of the host (`includeSubDomains`).',
  ),
  BCRYPT_COST: service(wholeNumber(4, 16), '12', 'Cost of password hashes, 4 to 16.'),
  RATE_LIMITS: service(
    oneOf('on', 'off'),
    'on',
    '`off`: turns off the limits below and, under `npm run serve`, fair sharing of time between callers. For benchmarks and trusted networks. The limits on guessing passwords always apply.',
  ),
  WRITES_PER_SECOND: service(wholeNumber(1, 10_000), '10', 'Sustained rate of messages and changes of an account.'),
  WRITE_BURST: service(
    wholeNumber(1, 100_000),
    '50',
    'Messages and changes of an account in one burst. `npm run admin -- user limit` sets another rate for one account, such as a bot. `user unlimit` resets its counters.',
  ),
  SIGN_UPS_PER_HOUR: service(
    wholeNumber(1, 100_000),
    '10',
    'Sign-ups per hour from one address. An IPv6 network of 64 bits counts as one address.',
  ),
  SIGN_UPS_PER_DAY: service(
    wholeNumber(1, 100_000),
    '100',
    'Sign-ups per day from one address. Also the sign-ups per hour with taken names and, with invitations, the sign-ups per hour for each inviter and each address.',
  ),
  LOGINS_PER_MINUTE: service(wholeNumber(1, 10_000), '20', 'Logins per minute to one account with the correct password.'),
  TOKENS_PER_USER: service(wholeNumber(1, 10_000), '100', 'Named tokens of one account.'),
  SESSIONS_PER_USER: service(wholeNumber(1, 10_000), '50', 'Sessions of one account. A new one above the limit ends the oldest.'),
  ROOMS_PER_USER: service(
    wholeNumber(1, 100_000),
    '1000',
    'Limit on the rooms that one account joins, on the conversations that it starts, and on the rooms that others add it to. It does not apply to administrators.',
  ),
  STRANGERS_PER_DAY: service(
    wholeNumber(1, 100_000),
    '50',
    'Conversations that one account may start in 24 hours with people who share no room with it. It does not apply to administrators.',
  ),
  LOG_LEVEL: service(oneOf('debug', 'info', 'error', 'silent'), 'info', '`debug`, `info`, `error` or `silent`.'),
  METRICS: service(oneOf('off', 'on'), 'off', '`on`, on AWS: log lines of requests and pushes become CloudWatch metrics.'),
  CONNECTION_LIMIT: aws(
    'Connection limit of the cluster. It reserves [concurrency](deploying.md#connections-and-concurrency) for busy functions.',
  ),
  ACCOUNT_CONCURRENCY: aws(
    "The account's quota of concurrent functions. With `CONNECTION_LIMIT`, it keeps functions from exceeding the connection limit. Only for an account that runs nothing else.",
  ),
  MONGODB_URI_VERSION: aws(
    'Version of the parameter with the connection string. [A new value](deploying.md#rotate-the-databases-password) restarts the functions.',
  ),
  SMTP_URL_VERSION: aws(
    'Version of the parameter with the [mail server](deploying.md#e-mail). A new value restarts the functions.',
  ),
  SECRET_KEY_VERSION: aws(
    'Version of the parameter with the [key of second factors](deploying.md#second-factor). A new value restarts the functions.',
  ),
  OIDC_CLIENT_SECRET_VERSION: aws(
    'Version of the parameter with the [secret](deploying.md#an-identity-provider) of `OIDC_CLIENT_SECRET`. A new value restarts the functions.',
  ),
  OIDC_PROVIDERS_VERSION: aws(
    'Version of the parameters with the secrets of `OIDC_PROVIDERS`. A new value restarts the functions.',
  ),
  CLOUDFRONT_SECRET: readBy('aws')(
    gatewaySecrets,
    '',
    'Parameter with the secret of [CloudFront](deploying.md#cloudfront-in-front), such as `ssm:/chat-service/prod/cloudfront-secret`.',
  ),
  CLOUDFRONT_SECRET_VERSION: aws('Version of that parameter. A new value restarts the functions.'),
  DOMAIN_NAME: aws('[A domain of your own](deploying.md#a-domain-of-your-own) for the API and the page.'),
  SOCKET_DOMAIN_NAME: aws('A domain of your own for the WebSockets.'),
  CERTIFICATE_ARN: aws('ACM certificate for these domains.'),
  VPC_SUBNETS: aws(
    'Subnets for functions that use the database, separated by commas, to run them [in a VPC](deploying.md#in-a-vpc).',
  ),
  VPC_SECURITY_GROUPS: aws('Security groups in the VPC, separated by commas.'),
  RESOURCE_TAGS: aws('Tags of the stack and all its resources, such as `project=chat,owner=ops`.'),
  LOG_KEY_ARN: aws(
    'KMS key that encrypts the logs. Its policy must let [CloudWatch Logs](https://docs.aws.amazon.com/AmazonCloudWatch/latest/logs/encrypt-log-data-kms.html) use it.',
  ),
  ALARM_EMAIL: aws('E-mail address for alarms. AWS asks for confirmation first.'),
  TRACING: aws('`Active` turns X-Ray on.', 'PassThrough'),
} satisfies Record<string, Setting>;

export type SettingName = keyof typeof settings;
type ValueOf<Name extends SettingName> = NonNullable<ReturnType<(typeof settings)[Name]['rule']['read']>>;

export const settingNames = Object.keys(settings) as readonly SettingName[];

/** A setting has an unusable value; the message names the setting and says what it should be. */
export class ConfigError extends Error {
  override name = 'ConfigError';
}

/**
 * A secret from the environment; throws for the name of a parameter, which only a deployment on AWS
 * reads.
 */
export function withoutParameter(value: string, instruction: string): string {
  if (!isParameter(value)) return value;
  throw new ConfigError(`Set ${instruction}: only a deployment on AWS reads it from a parameter of SSM.`);
}

/** Reads a setting from an environment; throws a `ConfigError` for a value that breaks its rule. */
export function readSetting<Name extends SettingName>(
  name: Name,
  environment: Record<string, string | undefined>,
): ValueOf<Name> {
  const { rule, fallback, option }: Setting = settings[name];
  const value = environment[name]?.trim() || fallback;
  const read = rule.read(value);
  if (read !== undefined) return read as ValueOf<Name>;
  const called = option === undefined ? name : `--${option} or ${name}`;
  throw new ConfigError(`Set ${called} to ${rule.says(value)}${rule.isSecret ? '' : `, not '${value}'`}.`);
}

/**
 * Where files are kept unless `FILES` says so: beside the embedded database, which has one server.
 * Several servers of another database may not share a directory.
 */
export const defaultFiles = ({ MONGODB_URI, DATA_DIR }: Record<string, string | undefined>): string =>
  MONGODB_URI ? '' : join(DATA_DIR?.trim() || settings.DATA_DIR.fallback, 'files');

/** The directory of the files; empty if they are in a bucket, or cannot be sent. */
export function filesDirectory(environment: Record<string, string | undefined>): string {
  const place = readSetting('FILES', environment);
  return place === 'off' || bucketPattern.test(place) ? '' : place;
}

/** A warning for each variable whose name is almost that of a setting, so it is ignored. */
export const misspelledSettings = (environment: Record<string, string | undefined>): string[] =>
  Object.keys(environment).flatMap((name) => {
    const meant = name in settings ? undefined : nearestName(name, settingNames);
    return meant === undefined ? [] : [unknownSetting(name)];
  });

/** The sentence about a name that no setting has. */
export function unknownSetting(name: string): string {
  const meant = nearestName(name, settingNames);
  return `Unknown setting ${name}.${meant === undefined ? '' : ` Did you mean ${meant}?`}`;
}
